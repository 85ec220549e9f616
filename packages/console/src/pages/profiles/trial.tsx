/** The live preview: what the profile, as it stands here, makes of the first rows of a file. */
import type { schemas } from '@longshore/client';
import { ChoiceInput } from '../../components/choice-input.js';
import { EmptyState, Notice, Progress, Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useFormat } from '../../texts/format.js';
import { withoutTurns } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';
import type { TriedFile, useTrial } from './use-trial.js';

const useText = textsOf('profile-trial', {
  title: { en: 'Preview', de: 'Vorschau' },
  note: {
    en: 'The first rows of the file, as this profile reads them now. Nothing is imported.',
    de: 'Die ersten Zeilen der Datei, wie dieses Profil sie jetzt liest. Nichts wird importiert.',
  },
  file: { en: 'File', de: 'Datei' },
  last: { en: '{name}, imported with it {when}', de: '{name}, {when} damit importiert' },
  other: { en: '{name}, another file, {when}', de: '{name}, eine andere Datei, {when}' },
  none: { en: 'There is no file yet to try it on', de: 'Es gibt noch keine Datei zum Ausprobieren' },
  noneHelp: {
    en: 'Import a file: the profile is shown on it here, and on each later one.',
    de: 'Importieren Sie eine Datei: Hier sehen Sie das Profil dann an ihr, und an jeder späteren.',
  },
  reading: { en: 'The file is read', de: 'Die Datei wird gelesen' },
  rejected: { en: 'This file would be rejected', de: 'Diese Datei würde abgelehnt' },
  differs: {
    en: 'The profile says another form than the file has',
    de: 'Das Profil nennt eine andere Form, als die Datei hat',
  },
  row: { en: 'Row', de: 'Zeile' },
  leftOut: { en: 'left out', de: 'weggelassen' },
  continues: { en: 'continues row {row}', de: 'setzt Zeile {row} fort' },
  fails: { en: 'fails', de: 'schlägt fehl' },
});

const LONGEST = 80;
const LONGEST_PROBLEM = 300;

interface TrialProps {
  readonly files: readonly TriedFile[];
  readonly fileId: string | undefined;
  readonly onFile: (id: string) => void;
  readonly trial: ReturnType<typeof useTrial>;
}

export function Trial({ files, fileId, onFile, trial }: TrialProps) {
  const t = useText();
  const format = useFormat();
  const { data, error, isPlaceholderData } = trial;
  const labelOf = ({ name, at, isOfProfile }: TriedFile) =>
    t(isOfProfile ? 'last' : 'other', { name, when: at === null ? '' : format.ago(at) });
  return (
    <Section title={t('title')} note={t('note')}>
      {fileId === undefined ? (
        <EmptyState title={t('none')}>{t('noneHelp')}</EmptyState>
      ) : (
        <div className="filters">
          <ChoiceInput
            label={t('file')}
            value={fileId}
            choices={files.map((file) => ({ id: file.id, label: labelOf(file) }))}
            onChange={onFile}
          />
        </div>
      )}
      {error === null ? null : <ErrorPanel error={error} />}
      {fileId !== undefined && data === undefined && error === null ? (
        <Progress label={t('reading')} share={undefined} />
      ) : null}
      {data === undefined || error !== null ? null : <Tried trial={data.trial} isFormer={isPlaceholderData} />}
    </Section>
  );
}

function Tried({ trial, isFormer }: { readonly trial: schemas.ProfileTrial; readonly isFormer: boolean }) {
  const t = useText();
  const { columns, rows, problems, differences } = trial;
  return (
    <>
      {problems.length === 0 ? null : <Said tone="bad" title={t('rejected')} lines={problems} />}
      {differences.length === 0 ? null : <Said tone="warn" title={t('differs')} lines={differences} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className="table-scroll" aria-label={t('title')} aria-busy={isFormer} tabIndex={0}>
        <table className="table dense sample-table trial-table">
          <caption className="unseen">{t('title')}</caption>
          <thead>
            <tr>
              <th scope="col" className="number">
                {t('row')}
              </th>
              {columns.map((name) => (
                <th key={name} scope="col">
                  <bdi>{name}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ row, isLeftOut, continues, cells }) => (
              <tr key={row} className={isLeftOut ? 'left-out' : ''}>
                <th scope="row" className="number">
                  {row}
                  {isLeftOut ? <span className="small"> {t('leftOut')}</span> : null}
                  {continues === null ? null : <span className="small"> {t('continues', { row: continues })}</span>}
                </th>
                {cells.map((cell, index) => (
                  <td key={columns[index]}>
                    <TriedCell {...cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

interface TriedCellProps {
  readonly text: string;
  readonly value: string | null;
  readonly problem: string | null;
}

/** What a cell becomes, and above it what the file has where that is something else. */
export function TriedCell({ text, value, problem }: TriedCellProps) {
  const t = useText();
  if (value === null) {
    return (
      <span className="tried wrong" title={problem ?? ''}>
        <bdi>{cut(text)}</bdi>
        <span className="odd" lang="en">
          {t('fails')}: {problem?.slice(0, LONGEST_PROBLEM)}
        </span>
      </span>
    );
  }
  return (
    <span className="tried">
      {value === text ? null : <bdi className="small tried-from">{cut(text)}</bdi>}
      <bdi>{cut(value)}</bdi>
    </span>
  );
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

interface SaidProps {
  readonly tone: 'bad' | 'warn';
  readonly title: string;
  readonly lines: readonly string[];
}

function Said({ tone, title, lines }: SaidProps) {
  return (
    <Notice tone={tone} title={title}>
      <ul className="said" lang="en">
        {lines.map((line) => (
          <li key={line}>{withoutTurns(line)}</li>
        ))}
      </ul>
    </Notice>
  );
}
