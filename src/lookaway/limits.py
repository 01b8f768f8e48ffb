"""How large anything from outside may be, and how long it may take: files, videos, downloads, messages, replies.

Each limit is far above what an honest clip or service needs, and low enough that what breaks it costs an error instead
of a machine. Where a limit is met, the error says which and what to do.
"""

from __future__ import annotations

MB = 1 << 20

# This process
ADDRESS_SPACE_BYTES = 2048 * MB  # at least; a small run hangs in its libraries with 1000, is aborted by them with 1500

# Pictures and videos
PICTURE_SIDE = 16384  # pixels; more than any codec here is used for
PICTURE_PIXELS = 50_000_000  # a frame of 8K has 33 million, a telephone's photograph up to 50; 150 MB as RGB
VIDEO_FRAMES = 36_000  # ten minutes at 60 frames a second; a clip of a benchmark has at most some 2000
VIDEO_BYTES = 1 << 38  # of RGB, one frame at a time: three minutes of 4K at 60 frames a second, twelve of 1080p
HELD_BYTES = 2048 * MB  # of RGB held at once: 24 frames of 8K are 2.4 GB, of 4K 0.6 GB
TRIAL_BYTES = 4096 * MB  # of memory to look through a stranger's video once: sixteen frames of 8K in 10 bits are 2.4 GB
TRIAL_CPU_S, TRIAL_S = 900.0, 7200.0  # of the processor and of the clock; ten minutes of 1080p at 60 a second take 200

# Releases of other benchmarks
RELEASE_BYTES = 64 * MB  # of one text file; the largest has four hundred lines
TASK_FILE_BYTES = MB  # of one file that tells one task; they have some hundred lines
SHEET_ROWS = 100_000  # of one table that people filled in; the largest has two hundred
RELEASE_ARRAY_BYTES = 1024 * MB  # of one npy or npz file; a pose a frame for VIDEO_FRAMES are 4.6 MB, depth is the rest

# Files beside a brought video
SIDECAR_BYTES = 8 * MB  # VIDEO_FRAMES poses of 16 doubles are 4.6 MB

# Generators
JSON_BYTES = 16 * MB  # what a service answers; it names a job or a video and holds neither
JSON_S = 120.0  # from the first byte sent to the last one received
DOWNLOAD_BYTES = 4096 * MB  # a minute of almost lossless 4K
DOWNLOAD_S = 3600.0  # for which 1.2 MB a second are enough
LONGEST_WAIT_S = 600.0  # that a busy service may ask for before it is asked again

# Weights
WEIGHTS_FILE_BYTES = 1 << 36  # 69 GB; publishers cut larger weights into files of 5 to 50 GB
WEIGHTS_FILE_S = 24 * 3600.0  # for which 0.8 MB a second are enough
WEIGHTS_SILENCE_S = 60.0  # without a byte; what came is kept, and the next try goes on from there
DISK_LEFT_BYTES = 1024 * MB  # that weights leave free on the disk

# Sessions
MESSAGE_PIXELS = 1 << 24  # of a picture in a message: 4K has 8 million
MESSAGE_BYTES = 96 * MB  # a first frame of MESSAGE_PIXELS that does not compress, in base64, has 67 MB
STEP_FRAMES = 1000  # of one step, which is answered by one message
STEP_BYTES = 512 * MB  # of RGB that one step makes: 86 frames of 1080p
ANSWER_BYTES = 1024 * MB  # STEP_BYTES that do not compress, in base64, are 716 MB

# Serving sessions
REQUEST_S = 60.0  # in which a client must have sent its whole message
ANSWER_S = 600.0  # in which it must have taken the answer
CONNECTIONS = 128  # at once, and so threads; a session needs one

# Drawing boxes
PICK_BYTES = 4096  # of one answer: four numbers and a name
PICK_S = 1800.0  # in which somebody must have finished drawing; --pick-minutes says another time
PICK_SIDE = 1600  # pixels of the picture that is drawn on

# People
PAGE_REQUEST_S = 20.0  # in which a browser must have sent its whole request
ANSWER_BODY_BYTES = 16_384  # of one answer: an edited question and a reason
LONGEST_REMARK = 2000  # characters of an edit or a reason
STUDY_SIDE = 960  # pixels of the longer side of a clip that is shown
STUDY_ITEMS = 20_000
BROUGHT_BYTES = 256 * MB  # of one file of labels
INVITE_HOURS = 24 * 30.0  # at most
SEAT_HOURS = 24 * 7.0  # in which a browser that has joined need not join again
ANSWERS_PER_S, ANSWERS_AT_ONCE = 10.0, 60  # of one rater; nobody answers faster
STRANGERS_PER_S, STRANGERS_AT_ONCE = 5.0, 300  # of one address that nobody let in; a class may share one

# Judges
REPLY_BYTES = 16 * MB  # unpacked; 4096 tokens with 20 scores each are 6 MB
REPLY_CHARACTERS = 1_000_000  # of what a judge says, thoughts included; it is read on the event loop
ANSWER_CHARACTERS = 100_000  # of what is left without thoughts; a form of a thousand rows has half of it
REPLY_DEPTH = 32  # of brackets in brackets; a form needs three

# Sealed runs
SEAL_FILES = 200_000  # in one archive; 480 tasks of ten systems with their observations have 100,000
SEAL_FILE_BYTES = 4096 * MB  # of one file in it, unpacked
SEAL_BYTES = 1 << 38  # of all of them, unpacked: 275 GB
SEAL_JSON_BYTES = 128 * MB  # of the list of files: SEAL_FILES of them are 50 MB
SEAL_PACKING = 200  # times: text of logs is packed up to 50 times; more is a trap
