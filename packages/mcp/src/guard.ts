/** The one way to the system, which lets nothing pass but what looks at it or asks for approval. */

const BULK = /^\/api-product\/v1\/product\/bulk\/(?:insert|update|upsert|delete)$/;
const ANNOUNCEMENT = /^\/files\/product$/;
const HELD_IMPORT = /^\/files\/product\/[^/]+\/actions\/import$/;
/** It says that the bytes of a file have arrived; the announcement has demanded approval. */
const COMPLETION = /^\/files\/product\/[^/]+\/actions\/complete$/;
const UPLOAD = /^\/uploads\/[^/]+$/;

/**
 * A `fetch` that answers itself, with 403, whatever could change the catalog without approval: no mistake in a tool, and
 * no version of the client, can apply, approve, cancel or delete.
 * @param baseUrl of the system; other addresses are those of its file store, for uploads
 */
export function guarded(baseUrl: string, send: typeof fetch = fetch): typeof fetch {
  const base = new URL(baseUrl);
  return async (input, init) => {
    const request = { url: new URL(String(input)), method: init?.method ?? 'GET', body: init?.body };
    if (isHarmless(base, request)) return send(input, init);
    const message = `it was not sent, because it does not demand approval: assistants look and propose, and change nothing themselves`;
    return Response.json({ code: 'NOT_A_PROPOSAL', message }, { status: 403 });
  };
}

interface Sent {
  readonly url: URL;
  readonly method: string;
  readonly body: unknown;
}

function isHarmless(base: URL, { url, method, body }: Sent): boolean {
  if (method === 'GET') return true;
  if (url.origin !== base.origin) return method === 'PUT';
  const prefix = base.pathname.replace(/\/+$/, '');
  if (!url.pathname.startsWith(prefix)) return false;
  const path = url.pathname.slice(prefix.length);
  if (method === 'PUT') return UPLOAD.test(path);
  if (method !== 'POST') return false;
  if (BULK.test(path)) return url.searchParams.get('requireApproval') === 'true';
  if (ANNOUNCEMENT.test(path)) return memberOf(body, 'hold') === true && demandsApproval(body);
  if (HELD_IMPORT.test(path)) return demandsApproval(body);
  return COMPLETION.test(path);
}

function demandsApproval(body: unknown): boolean {
  const options = memberOf(body, 'options');
  return typeof options === 'object' && options !== null && 'requireApproval' in options
    ? options.requireApproval === true
    : false;
}

function memberOf(body: unknown, name: string): unknown {
  if (typeof body !== 'string') return undefined;
  const parsed: unknown = JSON.parse(body);
  return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>)[name] : undefined;
}
