/** What the archive of a stage has besides attributes, categories and items, as lines of JSON in an order that does not depend on ids. */
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import { AttributeMapping } from '../../../../db/models/attribute-mapping.js';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { ATTRIBUTE_MAPPINGS } from '../../catalog/model/attribute-definition.js';
import type { MappingLine, SerialLine } from '../../formats/site-archive.js';
import { findProfile, listProfiles } from '../../profiles/profiles.js';
import { type SiteSettings, settingsSchema } from '../../settings/settings.js';
import { siteSettings } from '../../settings/site-settings.js';
import { listDefinitions } from '../../webhooks/definitions.js';

const PAGE = 200;

/** The roles of attributes. Attributes name theirs too; here stands besides whether they are required. */
export async function* mappingLines(db: Db, siteId: number): AsyncGenerator<string> {
  const rows = await AttributeMapping.query(db).where({ site_id: siteId }).withGraphFetched('attribute');
  for (const mapping of ATTRIBUTE_MAPPINGS) {
    const row = rows.find((one) => one.mapping === mapping);
    if (row?.attribute === undefined) continue;
    yield line({ mapping, name: row.attribute.name, required: row.required } satisfies MappingLine);
  }
}

/** The numbers that the series go on with: those that deleted items had are not given again. */
export async function* serialLines(db: Db, siteId: number): AsyncGenerator<string> {
  const rows = await Attribute.query(db)
    .where({ site_id: siteId })
    .whereNotNull('serial_next')
    .orderBy(['position', 'id']);
  for (const { name, serial_next: next } of rows) yield line({ name, next: Number(next) } satisfies SerialLine);
}

/** The newest version of each import profile that was saved. */
export async function* profileLines(db: Db, siteId: number): AsyncGenerator<string> {
  for (let offset = 0; ; offset += PAGE) {
    const { rows } = await listProfiles(db, siteId, { shipped: false }, { offset, limit: PAGE });
    for (const { name } of rows) yield line({ name, profile: (await findProfile(db, siteId, name)).profile });
    if (rows.length < PAGE) return;
  }
}

/** The settings, but for the mark of the stage that is live: a copy is not. No line if all are the default. */
export async function* settingsLines(db: Db, siteId: number): AsyncGenerator<string> {
  const copied = ({ live: _, ...others }: SiteSettings) => line(others);
  const { settings } = await siteSettings(db, siteId);
  if (copied(settings) !== copied(settingsSchema.parse({}))) yield copied(settings);
}

/** The webhook definitions without secrets, API keys and headers, and without what becomes of them: state and failures. */
export async function* webhookLines(db: Db, siteId: number): AsyncGenerator<string> {
  const site = { siteId, channel: null, accountId: '', stage: '', date: null };
  const lines: string[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const rows = await listDefinitions(db, site, {}, { offset, limit: PAGE });
    for (const row of rows) lines.push(line(writtenWebhook(row)));
    if (rows.length < PAGE) break;
  }
  yield* lines.sort();
}

function writtenWebhook(row: WebhookDefinition): object {
  return {
    target: row.target,
    protocol: row.protocol,
    source: row.source,
    events: row.events,
    requestType: row.request_type,
    apiVersion: row.api_version,
    format: row.format,
    callbackUrl: row.callback_url,
    rateLimit: row.rate_limit,
    ordering: row.ordering ?? 'none',
    filter: row.filter,
    collectHours: row.collect_hours,
    channel: row.channel,
  };
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
