/** What the events of the catalog and of webhooks mean; other names speak for themselves. */
import { textsOf } from '../../texts/texts.js';

const useText = textsOf('event-names', {
  ITEM_CREATED: { en: 'Items were created', de: 'Artikel wurden angelegt' },
  ITEM_UPDATED: { en: 'Items were changed', de: 'Artikel wurden geändert' },
  ITEM_DELETED: { en: 'Items were deleted', de: 'Artikel wurden gelöscht' },
  JOB_COMPLETED: { en: 'A job has ended', de: 'Ein Auftrag ist beendet' },
  JOB_FAILED: { en: 'A job has failed', de: 'Ein Auftrag ist gescheitert' },
  JOB_AWAITING_APPROVAL: { en: 'A job needs approval', de: 'Ein Auftrag braucht eine Freigabe' },
  EXPORT_READY: { en: 'An export can be fetched', de: 'Ein Export kann abgeholt werden' },
  CATEGORY_DELETED: { en: 'A category was deleted', de: 'Eine Kategorie wurde gelöscht' },
  FEED_RUN_FAILED: { en: 'A run of a feed has failed', de: 'Ein Lauf eines Feeds ist gescheitert' },
  FEED_OVERDUE: { en: 'A feed got no new file in time', de: 'Ein Feed bekam nicht rechtzeitig eine neue Datei' },
  WEBHOOK_FAILING: { en: 'An endpoint fails for days', de: 'Ein Endpunkt versagt seit Tagen' },
  WEBHOOK_DISABLED: { en: 'A webhook was switched off', de: 'Ein Webhook wurde ausgeschaltet' },
  WEBHOOK_DELIVERY_FAILED: { en: 'A delivery has failed for good', de: 'Eine Zustellung ist endgültig gescheitert' },
});

const KNOWN = [
  ...(['ITEM_CREATED', 'ITEM_UPDATED', 'ITEM_DELETED', 'JOB_COMPLETED', 'JOB_FAILED'] as const),
  ...(['JOB_AWAITING_APPROVAL', 'EXPORT_READY', 'CATEGORY_DELETED'] as const),
  ...(['FEED_RUN_FAILED', 'FEED_OVERDUE'] as const),
  ...(['WEBHOOK_FAILING', 'WEBHOOK_DISABLED', 'WEBHOOK_DELIVERY_FAILED'] as const),
] as const;

export function useEventText(): (name: string) => string | undefined {
  const t = useText();
  return (name) => {
    const known = KNOWN.find((one) => one === name);
    return known === undefined ? undefined : t(known);
  };
}
