/** What became of the items that a complete file lacks: how many are gone, which stay, and what the brake has stopped. */
import type { Job } from '@longshore/client';
import { type Figure, Notice } from '../../components/content.js';
import { hasEnded, isPreview, waitsForRemoval, wasOnlyShown } from '../../jobs/job-state.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';

const useText = textsOf('removal', {
  delete: { en: 'Deleted', de: 'Gelöscht' },
  set: { en: 'Given a value', de: 'Mit Wert versehen' },
  clear: { en: 'Values cleared', de: 'Werte geleert' },
  wouldDelete: { en: 'Would be deleted', de: 'Würden gelöscht' },
  wouldSet: { en: 'Would get a value', de: 'Bekämen einen Wert' },
  wouldClear: { en: 'Would be cleared', de: 'Würden geleert' },
  kept: { en: 'Stay', de: 'Bleiben' },
  brake: {
    en: 'The rows are imported, and nothing was removed: the brake has stopped it',
    de: 'Die Zeilen sind importiert, und nichts wurde entfernt: Die Bremse hat es gestoppt',
  },
  brakeAll: {
    en: 'Nothing was written at all: the brake has stopped it',
    de: 'Es wurde gar nichts geschrieben: Die Bremse hat es gestoppt',
  },
  wouldBrake: {
    en: 'The brake would stop the removal of what the file lacks',
    de: 'Die Bremse würde verhindern, dass entfernt wird, was in der Datei fehlt',
  },
  released: {
    en: 'The brake would stop the removal of what the file lacks: an approval releases it',
    de: 'Die Bremse würde verhindern, dass entfernt wird, was in der Datei fehlt: Eine Freigabe löst sie',
  },
  held: {
    en: 'The rows are imported, and the brake has stopped the removal of what the file lacks: an approval releases it',
    de: 'Die Zeilen sind importiert, und die Bremse hat verhindert, dass entfernt wird, was in der Datei fehlt: Eine Freigabe löst sie',
  },
  would: {
    en: 'The file lacks {going, plural, one {# item} other {# items}} of {all}.',
    de: 'In der Datei {going, plural, one {fehlt # Artikel} other {fehlen # Artikel}} von {all}.',
  },
  percent: { en: 'That is more than {limit} percent.', de: 'Das sind mehr als {limit} Prozent.' },
  most: { en: 'That is more than {limit}.', de: 'Das sind mehr als {limit}.' },
  failed: {
    en: '{count, plural, one {# row of the file has} other {# rows of the file have}} failed.',
    de: '{count, plural, one {# Zeile der Datei ist} other {# Zeilen der Datei sind}} fehlgeschlagen.',
  },
  rows: {
    en: '{count, plural, one {The file has # row} other {The file has # rows}}: fewer than {limit}.',
    de: '{count, plural, one {Die Datei hat # Zeile} other {Die Datei hat # Zeilen}}: weniger als {limit}.',
  },
  brakeHelp: {
    en: 'Was the file cut short, or did rows fail? Correct it, and send the whole file again. If it is right, send it again with an approval, which shows what would go and releases the brake, or with other limits.',
    de: 'Wurde die Datei abgeschnitten, oder sind Zeilen fehlgeschlagen? Korrigieren Sie sie und senden Sie die ganze Datei noch einmal. Stimmt sie, senden Sie sie noch einmal mit Freigabe, die zeigt, was wegfiele, und die Bremse löst, oder mit anderen Grenzen.',
  },
  feedHelp: {
    en: 'It came by a feed: the limits, and whether somebody approves each file, are in the form of the feed.',
    de: 'Sie kam durch einen Feed: Die Grenzen und ob jemand jede Datei freigibt, stehen im Formular des Feeds.',
  },
  refused: {
    en: 'The rows are imported, and nothing was removed: what the file is about is not there any more',
    de: 'Die Zeilen sind importiert, und nichts wurde entfernt: Worum es in der Datei geht, gibt es nicht mehr',
  },
  superseded: {
    en: 'The rows are imported, and nothing was removed: a newer file of the same scope says what is to go',
    de: 'Die Zeilen sind importiert, und nichts wurde entfernt: Eine neuere Datei desselben Bereichs sagt, was wegfällt',
  },
  outOfDate: {
    en: 'A newer file of the same scope says what is to go: an approval applies the rows, and removes nothing',
    de: 'Eine neuere Datei desselben Bereichs sagt, was wegfällt: Eine Freigabe übernimmt die Zeilen und entfernt nichts',
  },
  stay: {
    en: '{count, plural, one {# item that the file lacks stays} other {# items that the file lacks stay}}',
    de: '{count, plural, one {# Artikel, der in der Datei fehlt, bleibt} other {# Artikel, die in der Datei fehlen, bleiben}}',
  },
  stayHelp: {
    en: 'Something else needs them, another feed has written them too, they were changed since they were shown, or a newer file names them.',
    de: 'Etwas anderes braucht sie, ein anderer Feed hat sie auch geschrieben, sie wurden geändert, seit sie gezeigt wurden, oder eine neuere Datei nennt sie.',
  },
});

type Way = 'delete' | 'set' | 'clear';
type Members = Readonly<Record<string, unknown>>;

/** What becomes of items that the file lacks; undefined: the file is not the whole truth. */
export function wayOf({ options }: Job): Way | undefined {
  if (options.snapshot === undefined || options.snapshot === null) return undefined;
  const { missing } = options.snapshot as Members;
  if (missing === 'delete') return missing;
  return (Object(missing) as Members).set === undefined ? 'clear' : 'set';
}

const WOULD = { delete: 'wouldDelete', set: 'wouldSet', clear: 'wouldClear' } as const;

/** The counts of what the file lacks, beside those of its rows. */
export function useRemovalFigures(job: Job): readonly Figure[] {
  const t = useText();
  const format = useFormat();
  const { removal } = job;
  const way = wayOf(job);
  if (removal === undefined || way === undefined) return [];
  const isTrial = isPreview(job) || job.status === 'AWAITING_APPROVAL';
  const { removed, kept } = removal;
  return [
    { label: t(isTrial ? WOULD[way] : way), value: format.number(removed), tone: removed > 0 ? 'warn' : 'neutral' },
    ...(kept > 0 ? [{ label: t('kept'), value: format.number(kept) }] : []),
  ];
}

/** What is to be known of the removal: that the brake has stopped it, or what stays. Nothing where all went as it was asked for. */
export function RemovalNotice({ job }: { readonly job: Job }) {
  const t = useText();
  const format = useFormat();
  const { removal, reason, status } = job;
  const said = job.statusMessage === null ? null : <Said message={job.statusMessage} />;
  if (reason === 'SNAPSHOT_REFUSED' && status === 'COMPLETED_PARTIALLY') {
    return (
      <Notice tone="warn" title={t('refused')}>
        {said}
      </Notice>
    );
  }
  // One that was approved before has no counts of what would have gone.
  const isBraked = status === 'COMPLETED_PARTIALLY' && reason === 'SNAPSHOT_BRAKE';
  if (isBraked && (removal === undefined || removal.supersededBy !== undefined)) {
    return (
      <Notice tone="neutral" title={t('superseded')}>
        {said}
      </Notice>
    );
  }
  if (removal === undefined) return null;
  const waits = status === 'AWAITING_APPROVAL';
  if (waits && removal.supersededBy !== undefined) {
    return (
      <Notice tone="warn" title={t('outOfDate')}>
        {said}
      </Notice>
    );
  }
  if (removal.stopped && (waits || isPreview(job) || reason === 'SNAPSHOT_BRAKE')) {
    const title = waits
      ? t(waitsForRemoval(job) ? 'held' : 'released')
      : isPreview(job)
        ? t('wouldBrake')
        : t(status === 'REJECTED' ? 'brakeAll' : 'brake');
    return (
      <Notice tone="warn" title={title}>
        <Brake job={job} />
        {waits ? null : <p>{t('brakeHelp')}</p>}
        {!waits && isOfFeed(job) ? <p>{t('feedHelp')}</p> : null}
        {said}
      </Notice>
    );
  }
  // That nothing was written is said already: so nothing is removed.
  if (removal.kept === 0 || !hasEnded(job) || wasOnlyShown(job)) return null;
  return (
    <Notice tone="neutral" title={t('stay', { count: removal.kept, shown: format.number(removal.kept) })}>
      <p>{t('stayHelp')}</p>
      {said}
    </Notice>
  );
}

/** Why the brake holds, with its counts. */
function Brake({ job }: { readonly job: Job }) {
  const t = useText();
  const format = useFormat();
  const { removal, progressTracker } = job;
  if (removal === undefined) return null;
  const { maxMissingPercent: percent, maxMissing: most, minRows } = Object(job.options.snapshot) as Members;
  const { missing, kept, inScope } = removal;
  const going = missing - kept;
  const { errorCount, totalCount } = progressTracker;
  const rows = totalCount ?? 0;
  const reasons = [
    ...(typeof percent === 'number' && going * 100 > percent * inScope
      ? [t('percent', { limit: format.number(percent) })]
      : []),
    ...(typeof most === 'number' && going > most ? [t('most', { limit: format.number(most) })] : []),
    ...(errorCount > 0 ? [t('failed', { count: errorCount })] : []),
    ...(typeof minRows === 'number' && rows < minRows
      ? [t('rows', { count: rows, limit: format.number(minRows) })]
      : []),
  ];
  return <p>{[t('would', { going, all: format.number(inScope) }), ...reasons].join(' ')}</p>;
}

function isOfFeed({ submittedBy }: Job): boolean {
  return submittedBy?.actor.startsWith('feed:') ?? false;
}

function Said({ message }: { readonly message: string }) {
  return (
    <p className="said" lang="en">
      {message}
    </p>
  );
}
