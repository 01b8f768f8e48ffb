"""A run folder: append-only logs, blobs by sha256, resume, compaction to Parquet.

Every record is one line, written with one system call before `append` returns, so it survives the death of the
process. Logs are fsynced when a writer closes and, while it writes, with the first line after every twenty seconds;
blobs and their names before a line can speak of them. A power cut therefore costs the lines since a writer's last
fsync, some twenty seconds of work, never a blob that a line names.
Each writer has a file of its own, so workers and shards merge by reading. A line carries `key`, the hash of what the
record is about, and `inputs`, the hash of what it was made from. Work is skipped when the newest line of its key has
the same inputs; otherwise it is done again under a higher `attempt`, and readers keep the highest.
"""

from __future__ import annotations

from lookaway.store.blobs import Blobs as Blobs
from lookaway.store.blobs import file_sha256 as file_sha256
from lookaway.store.logs import Writer as Writer
from lookaway.store.logs import json_lines as json_lines
from lookaway.store.runs import Done as Done
from lookaway.store.runs import Run as Run
from lookaway.store.runs import make_run as make_run
from lookaway.store.runs import open_run as open_run
from lookaway.store.runs import root_of as root_of
from lookaway.store.snapshots import Snapshot as Snapshot
from lookaway.store.snapshots import snapshot as snapshot
from lookaway.store.whole_files import write_whole as write_whole
