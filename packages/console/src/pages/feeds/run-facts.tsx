/** What a run did: how many files it took, what their imports changed, and what failed. */
import { Link } from '@tanstack/react-router';
import { usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useFailureText } from './feed-state.js';
import type { FeedRun } from './use-feeds.js';

const useText = textsOf('feed-run-facts', {
  taken: {
    en: '{count, plural, =0 {no new file} one {# new file} other {# new files}}',
    de: '{count, plural, =0 {keine neue Datei} one {# neue Datei} other {# neue Dateien}}',
  },
  sent: {
    en: '{name}: {rows, plural, one {# row} other {# rows}}, {size}',
    de: '{name}: {rows, plural, one {# Zeile} other {# Zeilen}}, {size}',
  },
  changes: { en: 'changes since the last file', de: 'Änderungen seit der letzten Datei' },
  skipped: { en: 'nothing to send', de: 'nichts zu senden' },
  removed: {
    en: '{count, plural, one {# older file removed} other {# older files removed}}',
    de: '{count, plural, one {# ältere Datei entfernt} other {# ältere Dateien entfernt}}',
  },
  waiting: { en: '{count} not complete yet', de: '{count} noch nicht vollständig' },
  refused: { en: '{count} left: {name}', de: '{count} liegen gelassen: {name}' },
  importing: { en: 'being imported', de: 'wird importiert' },
  changed: {
    en: '{created} created, {updated} changed',
    de: '{created} neu, {updated} geändert',
  },
  lacking: { en: '{count} removed', de: '{count} entfernt' },
  awaiting: {
    en: '{count, plural, one {# import waits} other {# imports wait}} for an approval',
    de: '{count, plural, one {# Import wartet} other {# Importe warten}} auf eine Freigabe',
  },
  notImported: {
    en: '{count, plural, one {# file was} other {# files were}} not imported',
    de: '{count, plural, one {# Datei wurde} other {# Dateien wurden}} nicht importiert',
  },
  brake: {
    en: 'The brake has stopped the removal for {name}: nothing that the file lacks was removed.',
    de: 'Die Bremse hat das Entfernen für {name} gestoppt: Nichts, was in der Datei fehlt, wurde entfernt.',
  },
  brakeMore: {
    en: 'The brake has stopped the removal for {name} and {count, plural, one {# more file} other {# more files}}: nothing that they lack was removed.',
    de: 'Die Bremse hat das Entfernen für {name} und {count, plural, one {# weitere Datei} other {# weitere Dateien}} gestoppt: Nichts, was darin fehlt, wurde entfernt.',
  },
  brakeHelp: { en: 'Why, and what to do', de: 'Warum, und was zu tun ist' },
  failed: {
    en: '{count, plural, one {# row failed} other {# rows failed}}',
    de: '{count, plural, one {# Zeile fehlgeschlagen} other {# Zeilen fehlgeschlagen}}',
  },
  show: { en: 'Import {number}', de: 'Import {number}' },
  showOne: { en: 'Show the import', de: 'Import ansehen' },
  more: { en: 'and {count} more', de: 'und {count} weitere' },
});

interface RunFactsProps {
  readonly run: FeedRun;
  /** Where its feed says why it fails: without what failed and what was left. */
  readonly isShort?: boolean;
}

export function RunFacts({ run, isShort = false }: RunFactsProps) {
  const t = useText();
  const format = useFormat();
  const { stage } = usePresent();
  const failureText = useFailureText();
  const { report, delivery, imports } = run;
  const { jobs, unended, created, updated, removed, failed, awaiting, notImported, brake, firstJobIds } = imports;
  const [refused] = report?.refused ?? [];
  const failure = (report ?? delivery)?.failure ?? null;
  const facts = [
    ...(report === null ? [] : [t('taken', { count: report.taken })]),
    ...(report !== null && report.waiting > 0 ? [t('waiting', { count: format.number(report.waiting) })] : []),
    ...(jobs === 0 ? [] : [t('changed', { created: format.number(created), updated: format.number(updated) })]),
    ...(removed > 0 ? [t('lacking', { count: format.number(removed) })] : []),
    ...(awaiting > 0 ? [t('awaiting', { count: awaiting })] : []),
    ...(unended > awaiting ? [t('importing')] : []),
  ];
  return (
    <span className="run-facts">
      {facts.length === 0 ? null : <span>{facts.join(' · ')}</span>}
      {delivery?.files.map(({ name, rows, bytes, content }) => (
        <bdi key={name}>
          {t('sent', { name, rows, size: format.bytes(bytes) })}
          {content === 'DELTA' ? ` (${t('changes')})` : ''}
        </bdi>
      ))}
      {delivery?.skipped === true ? <span>{t('skipped')}</span> : null}
      {delivery === null || delivery.removed.length === 0 ? null : (
        <span className="small">{t('removed', { count: delivery.removed.length })}</span>
      )}
      {failed === 0 ? null : <strong className="bad-number">{t('failed', { count: failed })}</strong>}
      {notImported === 0 ? null : <strong className="bad-number">{t('notImported', { count: notImported })}</strong>}
      {brake === null ? null : <BrakeFact brake={brake} />}
      {firstJobIds.length === 0 ? null : (
        <span className="small">
          {firstJobIds.map((jobId, index) => (
            <span key={jobId}>
              {index === 0 ? '' : ', '}
              <Link to="/$stage/imports/$jobId" params={{ stage: stage.name, jobId }}>
                {firstJobIds.length === 1 ? t('showOne') : t('show', { number: index + 1 })}
              </Link>
            </span>
          ))}
          {jobs > firstJobIds.length ? ` ${t('more', { count: format.number(jobs - firstJobIds.length) })}` : ''}
        </span>
      )}
      {failure === null || isShort ? null : (
        <span className="small">{failureText(failure.code) ?? <span lang="en">{failure.message}</span>}</span>
      )}
      {refused === undefined || isShort ? null : (
        <span className="small">
          {t('refused', { count: format.number(report?.refused.length ?? 0), name: refused.name })}{' '}
          <span lang="en">{refused.reason}</span>
        </span>
      )}
      {report === null && delivery === null && run.statusMessage !== null ? (
        <span className="small" lang="en">
          {run.statusMessage}
        </span>
      ) : null}
    </span>
  );
}

/** The page of the import says why, in numbers, and what to do. */
function BrakeFact({ brake }: { readonly brake: NonNullable<FeedRun['imports']['brake']> }) {
  const t = useText();
  const { stage } = usePresent();
  const { jobs, jobId, fileName: name } = brake;
  return (
    <span className="warn-text">
      <bdi>{jobs === 1 ? t('brake', { name }) : t('brakeMore', { name, count: jobs - 1 })}</bdi>{' '}
      <Link to="/$stage/imports/$jobId" params={{ stage: stage.name, jobId }}>
        {t('brakeHelp')}
      </Link>
    </span>
  );
}
