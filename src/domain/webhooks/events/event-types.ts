/** The events that are known to occur. Definitions may name others: what clients emit is theirs to name. */
import { DOCUMENT_TYPES } from '../../kernel/document-type.js';

export interface EventType {
  readonly source: string;
  readonly event: string;
  readonly description: string;
}

const OMS: readonly EventType[] = DOCUMENT_TYPES.flatMap((document) => [
  { source: 'OMS', event: `${document}_CREATED`, description: `a document of type ${document} was registered` },
  { source: 'OMS', event: `${document}_UPDATED`, description: `a document of type ${document} was changed` },
]);

const CATALOG = [
  { event: 'ITEM_CREATED', description: 'items were created; up to 500 SKUs an event' },
  { event: 'ITEM_UPDATED', description: 'items were changed; up to 500 SKUs an event' },
  { event: 'ITEM_DELETED', description: 'items were deleted; up to 500 SKUs an event' },
  { event: 'JOB_COMPLETED', description: 'a job ended as COMPLETED or COMPLETED_PARTIALLY' },
  { event: 'JOB_FAILED', description: 'a job ended as REJECTED, FAILED, CANCELLED or EXPIRED' },
  { event: 'EXPORT_READY', description: "an export's file is there to be downloaded" },
] as const satisfies readonly Omit<EventType, 'source'>[];

/** An event that the catalog itself emits. */
export type CatalogEvent = (typeof CATALOG)[number]['event'];

/** Of the source that the definition hears, whichever it is. */
const DISABLED: readonly EventType[] = ['OMS', 'CATALOG'].map((source) => {
  return {
    source,
    event: 'WEBHOOK_DISABLED',
    description: 'a webhook definition of this source was disabled: its target fails',
  };
});

export const EVENT_TYPES: readonly EventType[] = [
  ...OMS,
  ...CATALOG.map((type) => ({ source: 'CATALOG', ...type })),
  ...DISABLED,
];
