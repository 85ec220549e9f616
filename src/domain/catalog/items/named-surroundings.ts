/** How the API shows what is around a catalog before or after a change: by the names that its members have there, and without secrets. */
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import type { SurroundingKind } from '../../changes/model/surrounding-image.js';
import { maskedTarget } from '../../webhooks/model/masks.js';

type Image = Readonly<Record<string, unknown>>;

/** What people call it: the name of a profile, the target of a webhook definition. @param images before and after; none is null */
export function surroundingName(kind: SurroundingKind, key: string, images: readonly Image[]): string {
  const last = images.at(-1);
  if (kind === 'profile') return String(last?.name ?? key);
  return kind === 'webhook' ? String(last?.target ?? key) : key;
}

/** Of a profile the document, of the settings all that an archive has, of a webhook definition what a request answers. */
export function surroundingShown(kind: SurroundingKind, image: Image): Image {
  switch (kind) {
    case 'profile':
      return { name: image.name, ...JSON.parse(String(image.document)) };
    case 'settings':
      return image;
    case 'webhook':
      return webhookShown(image as unknown as WebhookDefinition);
  }
}

/** Named one by one: a column that a later release adds may be a secret. */
function webhookShown(row: WebhookDefinition): Image {
  return {
    ...{ target: row.target, protocol: row.protocol, source: row.source, events: row.events },
    ...{ requestType: row.request_type, apiVersion: row.api_version, format: row.format },
    ...{ callbackUrl: row.callback_url, rateLimit: row.rate_limit, ordering: row.ordering ?? 'none' },
    // A JSON text, as it is stored: its numbers may be larger than those of JavaScript.
    ...{ filter: row.filter, collectHours: row.collect_hours, channel: row.channel, status: row.status },
    ...maskedTarget(row),
  };
}
