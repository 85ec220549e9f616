/** The result of one HTTP request to a target, before it is judged. */

/** Why there was no answer. All of these count as faults of the target. */
export type SendFailure = 'time-out' | 'dns' | 'tls' | 'refused' | 'connection' | 'blocked';

export type SendResult =
  | {
      readonly kind: 'answered';
      readonly statusCode: number;
      /** The header, unparsed. */
      readonly retryAfter: string | null;
      /** The beginning of the body. */
      readonly response: string;
      readonly durationMs: number;
    }
  | {
      readonly kind: 'failed';
      readonly failure: SendFailure;
      readonly message: string;
      readonly durationMs: number;
    }
  /** Nothing is known about the target: the request was aborted, or an error of our own prevented it. */
  | { readonly kind: 'not-sent'; readonly message: string };
