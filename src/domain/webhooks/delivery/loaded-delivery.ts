/** A delivery with what its attempt needs: its event, its definition, and the health of its endpoint. */
import type { DeliveryStatus } from '../../../../db/models/delivery.js';
import type { DefinitionState } from './admit-delivery.js';
import type { Health } from './health/endpoint-health.js';

export interface LoadedDelivery {
  readonly id: string;
  readonly status: DeliveryStatus;
  readonly dispatch: number;
  readonly attempts: number;
  readonly roundStart: number;
  readonly callbackUrl: string | null;
  readonly event: LoadedEvent;
  /** null: the delivery is a callback signed by the account, or the definition was deleted. */
  readonly definition: LoadedDefinition | null;
  readonly definitionId: string | null;
  readonly health: Health;
  /** The deliveries of one key are attempted in order; null: this one has no order. */
  readonly orderKey: string | null;
  /** The first pending delivery before this one in the order of its key; null: there is none. */
  readonly behind: string | null;
  /** Whether an earlier event of its key is still being fanned out. */
  readonly isBehindFanOut: boolean;
}

export interface LoadedEvent {
  readonly id: string;
  readonly site_id: number;
  readonly account_id: string;
  readonly source: string;
  readonly event: string;
  readonly channel: number | null;
  readonly order_number: string | null;
  readonly triggered_at: Date;
  /** The W3C trace context of the request or job that it comes from; null: none. */
  readonly traceparent: string | null;
  /** A JSON text. */
  readonly payload: string;
  /** Whether the payload has contacts, or has had some that were erased since. */
  readonly mayHaveContacts: boolean;
}

export interface LoadedDefinition {
  readonly id: string;
  readonly target: string;
  readonly request_type: string;
  readonly api_version: string;
  readonly format: string;
  readonly callback_url: string | null;
  readonly target_api_key: string | null;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_secret_until: Date | null;
  readonly older_secrets: string | null;
  readonly headers: string | null;
  readonly rate_limit: number | null;
  /** Of what is sent to the target: the attempt is recorded with it. */
  readonly version: number;
  readonly status: DefinitionState;
}
