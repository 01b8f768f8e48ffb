"""The Gemini API through Google's SDK, which makes one attempt at a time; patience is the pool's.

The key comes from `GEMINI_API_KEY` in the environment. Neither the key nor a server's echo of it gets into a reply, a
message or a log.
"""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from lookaway.errors import CallFailed
from lookaway.judges.frames.native_video import MIME, NativeVideo
from lookaway.judges.gemini.failures import KEY, failure_of
from lookaway.judges.gemini.uploads import Held
from lookaway.secrets import redacted, secret_of, without

if TYPE_CHECKING:
    import httpx

CONNECT_S = 10.0


class GeminiService:
    """The SDK's client, made when it is first needed: kept replies are read without a key."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._key = secret_of(KEY) or ""
        self._http: httpx.AsyncClient | None = None
        self._client: Any = None  # held, since the SDK closes its connections when its client is collected

    @property
    def has_key(self) -> bool:
        return bool(self._key)

    async def generated(self, model: str, parts: list[dict[str, Any]], config: dict[str, Any]) -> str:
        """The whole raw reply to one message."""
        from google.genai.types import Content, GenerateContentConfig

        asked = {
            "model": model,
            "contents": [Content.model_validate({"role": "user", "parts": parts})],
            "config": GenerateContentConfig.model_validate({**config, "should_return_http_response": True}),
        }
        response = await self._tried(lambda sdk: sdk.models.generate_content(**asked))
        return self._keyless(response.sdk_http_response.body or "")

    async def put(self, name: str, video: NativeVideo) -> Held:
        asked = {"file": io.BytesIO(video.data), "config": {"name": name, "mime_type": MIME}}
        return await self._held(lambda sdk: sdk.files.upload(**asked))

    async def look(self, name: str) -> Held:
        return await self._held(lambda sdk: sdk.files.get(name=f"files/{name}"))

    async def delete(self, name: str) -> None:
        from google.genai.errors import ClientError

        async def deleted(sdk: Any) -> None:
            try:
                await sdk.files.delete(name=f"files/{name}")
            except ClientError as error:
                if error.code not in (403, 404):  # both are said of a file that is not there
                    raise

        await self._tried(deleted)

    async def _held(self, call: Callable[[Any], Awaitable[Any]]) -> Held:
        file = await self._tried(call)
        if not file.uri or not file.state:
            raise CallFailed("malformed", "the service does not say where the uploaded video is")
        return Held(file.uri, file.state.value)

    async def _tried(self, call: Callable[[Any], Awaitable[Any]]) -> Any:
        """What the SDK returns; or a failure, raised where it carries no trace of the request and its key."""
        sdk = self._opened()
        import httpx
        from google.genai.errors import APIError

        from lookaway.limited_http import TooLarge

        try:
            return await call(sdk)
        except APIError as error:
            failure = failure_of(error.code, error.details, getattr(error.response, "headers", {}))
        except TooLarge as error:
            failure = CallFailed("too_large", str(error))
        except httpx.ConnectError as error:
            failure = CallFailed("unreachable", f"no server at {self._url} ({error})")
        except httpx.TimeoutException as error:
            failure = CallFailed("timed_out", f"{type(error).__name__} at {self._url}")
        except httpx.RemoteProtocolError as error:
            failure = CallFailed("truncated", f"the reply broke off ({error})")
        except httpx.HTTPError as error:
            failure = CallFailed("network", f"the connection broke ({type(error).__name__}: {error})")
        except (ValueError, KeyError) as error:
            failure = CallFailed("malformed", f"the SDK cannot read the reply ({type(error).__name__}: {error})")
        raise CallFailed(failure.problem, redacted(self._keyless(failure.message)), failure.retry_after_s)

    def _opened(self) -> Any:
        if not self._key:
            raise CallFailed("barred", f"no key: set {KEY} in the environment")
        if self._client is None:
            import httpx
            from google import genai

            from lookaway.limited_http import ACCEPTED, limited_transport

            patience = httpx.Timeout(None, connect=CONNECT_S)  # how long a reply may take is the pool's to say
            self._http = httpx.AsyncClient(
                headers=ACCEPTED,
                transport=limited_transport(self._url),
                timeout=patience,
                event_hooks={"response": [_not_repeated]},
            )
            options: Any = {
                "base_url": self._url,
                "api_version": "v1beta",  # the one that has JSON schemas and the sampling of videos
                "httpx_async_client": self._http,
                "retry_options": {"attempts": 1},
            }
            self._client = genai.Client(api_key=self._key, vertexai=False, http_options=options)
        return self._client.aio

    def _keyless(self, text: str) -> str:
        return without(text, KEY, self._key)

    async def close(self) -> None:
        if self._http is not None:
            await self._http.aclose()
        if self._client is not None:
            self._client.close()


async def _not_repeated(response: httpx.Response) -> None:
    """Raise where a part of an upload failed: the SDK would repeat it, asleep on the event loop in between."""
    import httpx
    from google.genai.errors import APIError

    if response.request.headers.get("x-goog-upload-command", "start") == "start":
        return
    if response.status_code != 200:
        await APIError.raise_for_async_response(response)
    if "x-goog-upload-status" not in response.headers:
        raise httpx.RemoteProtocolError("a part of the upload was not acknowledged")
