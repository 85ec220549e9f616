/** A webhook definition: which target to call on which events. Its secrets and the target's API key are encrypted. */
import { Model } from 'objection';

export type DefinitionStatus = 'ACTIVE' | 'DISABLED';

export class WebhookDefinition extends Model {
  static override readonly tableName = 'webhook_definition';

  declare id: string;
  declare account_id: string;
  declare site_id: number;
  declare channel: number | null;
  declare target: string;
  declare target_digest: Buffer;
  declare protocol: string;
  declare source: string;
  declare events: string[];
  declare request_type: string;
  declare api_version: string;
  declare format: string;
  declare callback_url: string | null;
  declare target_api_key: string | null;
  declare target_api_key_hint: string | null;
  declare secret: string;
  declare previous_secret: string | null;
  declare previous_secret_until: Date | null;
  /** Sealed: a JSON list of `{secret, until}`, the secrets before the previous one that still sign. */
  declare older_secrets: string | null;
  /** Sealed: a JSON object of header names and values. */
  declare headers: string | null;
  /** By header name: the last characters of a long value, which are shown after the mask. */
  declare header_hints: Readonly<Record<string, string>> | null;
  declare rate_limit: number | null;
  /** null: deliveries have no order. key: those of one key are attempted in the order of emission. */
  declare ordering: 'key' | null;
  /** A JSON text; null: the definition gets every event to which it subscribes. */
  declare filter: string | null;
  declare status: DefinitionStatus;
  declare disabled_reason: string | null;
  /** How many hours it goes on collecting events after it was disabled. */
  declare collect_hours: number;
  declare disabled_at: Date | null;
  /** Disabled, it collects events until then; null: it collects none. */
  declare collects_until: Date | null;
  /** Enabled again, what was collected is made due, at least until then; null: there is nothing to look for. */
  declare releases_until: Date | null;
  /** How often what is sent to the target has changed, and one more. */
  declare version: number;
  declare created_at: Date;
  declare updated_at: Date;
}
