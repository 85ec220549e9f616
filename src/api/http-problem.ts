/** Refusals that only HTTP knows: a method, a media type, a header. Everything else is a DomainError. */

export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';

  constructor(
    readonly status: 400 | 404 | 405 | 408 | 413 | 415,
    /** In capitals, as in DomainError. */
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The client went away before it had sent its request. Nobody is left to answer, and nothing is wrong here. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
  constructor() {
    super('the client closed the connection before its request was complete');
  }
}
