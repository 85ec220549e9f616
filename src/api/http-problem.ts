/** Errors that concern HTTP only: a method, a media type, a header. All others are DomainErrors. */

export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';

  constructor(
    readonly status: 400 | 404 | 405 | 408 | 413 | 415 | 503,
    /** In capitals, as in DomainError. */
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The client closed the connection before its request was complete. There is nothing to answer or to report. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
  constructor() {
    super('the client closed the connection before its request was complete');
  }
}
