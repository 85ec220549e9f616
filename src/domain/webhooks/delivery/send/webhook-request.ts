/** A request to the target of a webhook. */

export interface WebhookRequest {
  readonly target: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** null: none. */
  readonly body: Buffer | string | null;
}
