/** The `fetch` of the client: uploads say how far they are, and a session that has ended is renewed. */
import { loggedInAgain } from './expiry.js';
import { ownAddress } from './own-address.js';

const UNAUTHORIZED = 401;

/** @param onUpload how many bytes of a request's body were sent */
export function transport(onUpload?: (bytes: number) => void): typeof fetch {
  return async (input, init = {}) => {
    for (;;) {
      const answer = await sent(ownAddress(String(input)), init, onUpload);
      if (answer.status !== UNAUTHORIZED) return answer;
      await answer.body?.cancel();
      await loggedInAgain();
    }
  };
}

function sent(url: string, init: RequestInit, onUpload: ((bytes: number) => void) | undefined): Promise<Response> {
  if (onUpload !== undefined && init.method === 'PUT' && init.body instanceof Blob) {
    return uploaded(url, init.body, init, onUpload);
  }
  const isOwn = new URL(url, location.href).origin === location.origin;
  return fetch(url, { ...init, credentials: isOwn ? 'same-origin' : 'omit', cache: 'no-store' });
}

/** Of all requests of a browser only this kind says how much it has sent. */
function uploaded(
  url: string,
  body: Blob,
  { signal, headers: sent }: Pick<RequestInit, 'signal' | 'headers'>,
  onUpload: (bytes: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    for (const [name, value] of new Headers(sent)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onUpload(loaded);
    request.onload = () => {
      const headers = new Headers();
      for (const name of ['content-type', 'retry-after', 'x-request-id', 'x-error-detail']) {
        const value = request.getResponseHeader(name);
        if (value !== null) headers.set(name, value);
      }
      resolve(new Response(request.responseText, { status: request.status, statusText: request.statusText, headers }));
    };
    request.onerror = () => reject(new TypeError('the connection was lost'));
    request.onabort = () => reject(signal?.reason ?? new DOMException('aborted', 'AbortError'));
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(body);
  });
}
