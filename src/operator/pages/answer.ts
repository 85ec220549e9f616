/** What is sent to the browser: a page, or the address of another one. */

export interface PageAnswer {
  readonly status: number;
  readonly type: 'text/html' | 'text/css';
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Nothing but our own style, and forms that lead to our own pages; no script at all. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export function page(status: number, body: string, headers: Readonly<Record<string, string>> = {}): PageAnswer {
  return {
    status,
    type: 'text/html',
    body,
    headers: {
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Cache-Control': 'no-store',
      // With `no-referrer`, browsers do not say from which page a form was sent.
      'Referrer-Policy': 'same-origin',
      ...headers,
    },
  };
}

export function seeOther(location: string): PageAnswer {
  return page(303, '', { Location: location });
}
