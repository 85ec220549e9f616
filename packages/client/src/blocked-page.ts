/** Tells a call that the browser has blocked from a server that does not answer: a page sees the same error for both. */

const PROBE_MS = 5_000;

/**
 * Asks the address twice after a call has failed: without reading the answer, which every page may, and reading it.
 * @returns the origins of the page and of the server that answers, but not to this page. Undefined: it does not answer,
 * the page is allowed, or this is no browser
 * @param send what the call was sent by: it may know the server by another address
 */
export async function blockedPage(
  url: string,
  send: typeof fetch = fetch,
): Promise<{ page: string; server: string } | undefined> {
  const page = globalThis.location?.origin;
  if (page === undefined || !URL.canParse(url, globalThis.location.href)) return undefined;
  const server = new URL(url, globalThis.location.href).origin;
  if (server === page) return undefined;
  return (await answers(url, 'no-cors', send)) && !(await answers(url, 'cors', send)) ? { page, server } : undefined;
}

async function answers(url: string, mode: RequestMode, send: typeof fetch): Promise<boolean> {
  try {
    const init = { mode, method: 'GET', credentials: 'omit', cache: 'no-store' } as const;
    const response = await send(url, { ...init, signal: AbortSignal.timeout(PROBE_MS) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
