/** Copies webhook definitions into a stage. They are disabled there: a partner gets no events of a copy by accident. */
import type { Knex } from 'knex';
import { z } from 'zod';
import { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import { DomainError } from '../kernel/errors.js';
import { isWebAddress, MAX_WEB_ADDRESS_CHARACTERS } from '../kernel/web-address.js';
import { definitionFields, subscribedName } from './definition-fields.js';
import { filterProblem } from './definitions/payload-filter.js';
import { restoreDefinition } from './definitions/restore-definition.js';
import { createDefinition, updateDefinition } from './definitions.js';

const MAX_EVENTS = 200;
const MAX_CHARACTERS = 100;
const MAX_RATE = 10_000;

const text = z.string().max(MAX_CHARACTERS);
const webAddress = z.string().max(MAX_WEB_ADDRESS_CHARACTERS).refine(isWebAddress, 'is no http or https address');

const filter = z.string().check(({ value, issues }) => {
  const message = problemOf(value);
  if (message !== undefined) issues.push({ code: 'custom', input: value, message });
});

function problemOf(given: string): string | undefined {
  try {
    JSON.parse(given);
  } catch {
    return 'is no JSON text';
  }
  return filterProblem(given)?.message;
}

/** A definition as an archive has it: without secrets, and without its state. */
export const copiedDefinition = z.strictObject({
  target: webAddress,
  protocol: definitionFields.protocol,
  source: text.regex(/^(OMS|CATALOG|[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_SERVICE)$/, 'is no source of events'),
  events: z.array(subscribedName).min(1).max(MAX_EVENTS),
  requestType: definitionFields.requestType,
  apiVersion: text,
  format: text.regex(/^application\/\S+( *; *charset=utf-8)?$/i, 'is no JSON type'),
  callbackUrl: webAddress.nullable(),
  rateLimit: z.number().positive().max(MAX_RATE).nullable(),
  ordering: definitionFields.ordering,
  filter: filter.nullable(),
  collectHours: definitionFields.collectHours,
  channel: z.int().nullable(),
});
type CopiedDefinition = z.output<typeof copiedDefinition>;

/** The `disabledReason` of a definition that came with an archive. */
const COPIED = 'copied with a stage: check its target, set its secrets, and enable it';

interface Site {
  readonly siteId: number;
  readonly accountId: string;
}

/** What became of a definition. `elsewhere`: another stage of the account has it, and an account has each once. */
type Copied = 'created' | 'updated' | 'unchanged' | 'elsewhere';

/** Makes a change, and keeps what was before. @param id null: the definition is created by it @param write returns the id */
type KeepBefore = (id: string | null, write: () => Promise<string>) => Promise<void>;

/** Loads the definitions of a stage. A definition that it has keeps its state, its secrets, its API key and its headers. */
export class DefinitionCopier {
  /** Creates a copy again that was deleted. */
  static readonly restore = restoreDefinition;

  readonly #kept = new Set<string>();

  private constructor(
    readonly trx: Knex.Transaction,
    readonly site: Site,
    readonly secretsKeys: readonly string[],
    readonly keep: KeepBefore,
    readonly held: readonly WebhookDefinition[],
  ) {}

  static async load(
    trx: Knex.Transaction,
    site: Site,
    secretsKeys: readonly string[],
    keep: KeepBefore,
  ): Promise<DefinitionCopier> {
    const held = await WebhookDefinition.query(trx).where({ site_id: site.siteId });
    return new DefinitionCopier(trx, site, secretsKeys, keep, held);
  }

  /** How many definitions of the stage were not among those that were copied. */
  get besides(): number {
    return this.held.length - this.#kept.size;
  }

  /** @throws DomainError invalid when its protocol and its target contradict each other */
  async copy({ channel, requestType, ...fields }: CopiedDefinition): Promise<Copied> {
    const { trx, site, secretsKeys } = this;
    const own = this.held.find((one) => isSame(one, fields));
    if (own !== undefined) {
      this.#kept.add(own.id);
      if (hasFields(own, fields)) return 'unchanged';
      const context = { siteId: site.siteId, channel: own.channel };
      await this.keep(own.id, async () => (await updateDefinition(trx, context, own.id, fields, secretsKeys)).id);
      return 'updated';
    }
    try {
      const { siteId, accountId } = site;
      const context = { siteId, accountId, channel, stage: '', date: null };
      await this.keep(null, async () => {
        const made = await createDefinition(trx, context, { ...fields, requestType, targetApiKey: null }, secretsKeys);
        // In the transaction that has created it, so that no event is meant for it.
        await WebhookDefinition.query(trx)
          .findById(made.definition.id)
          .patch({ status: 'DISABLED', disabled_reason: COPIED, disabled_at: new Date(), collects_until: null });
        return made.definition.id;
      });
      return 'created';
    } catch (error) {
      if (error instanceof DomainError && error.code === 'WEBHOOK_EXISTS') return 'elsewhere';
      throw error;
    }
  }
}

type Fields = Omit<CopiedDefinition, 'channel' | 'requestType'>;

function isSame(row: WebhookDefinition, { target, protocol, source, apiVersion }: Fields): boolean {
  return row.target === target && row.protocol === protocol && row.source === source && row.api_version === apiVersion;
}

function hasFields(row: WebhookDefinition, fields: Fields): boolean {
  const { events, format, callbackUrl, rateLimit, ordering, filter, collectHours } = fields;
  const wanted = [events, format, callbackUrl, rateLimit, ordering, filter, collectHours];
  const present = [
    ...[row.events, row.format, row.callback_url, row.rate_limit, row.ordering ?? 'none', row.filter],
    row.collect_hours,
  ];
  return JSON.stringify(wanted) === JSON.stringify(present);
}
