/** The errors of a preview by group, as a table: they are corrected after the import, or in the file. */
import type { Job } from '@longshore/client';
import { type Column, DataTable } from '../../components/table.js';
import { useFormat } from '../../texts/format.js';
import { withoutTurns } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';
import { meaningOf, useErrorText } from './error-texts.js';

const SHOWN = 30;

const useText = textsOf('preview-errors', {
  title: { en: 'Rows that would fail', de: 'Zeilen, die fehlschlagen würden' },
  note: {
    en: 'You can import anyway: the other rows are written, and these are corrected afterwards.',
    de: 'Sie können trotzdem importieren: Die anderen Zeilen werden geschrieben, und diese danach korrigiert.',
  },
  column: { en: 'Column', de: 'Spalte' },
  what: { en: 'What is wrong', de: 'Was nicht stimmt' },
  count: { en: 'Rows', de: 'Zeilen' },
});

type Group = Job['errorSummary'][number];

export function ErrorGroupsOf({ job }: { readonly job: Job }) {
  const t = useText();
  const meaning = useErrorText();
  const format = useFormat();
  const columns: Column<Group>[] = [
    { id: 'column', title: t('column'), isHeader: true, cell: ({ path }) => <bdi>{path ?? '–'}</bdi> },
    {
      id: 'what',
      title: t('what'),
      cell: ({ code, example }) => (
        <>
          {meaning(meaningOf(code))}
          <span className="small example" lang="en">
            {withoutTurns(example)}
          </span>
        </>
      ),
    },
    { id: 'count', title: t('count'), isNumber: true, cell: ({ count }) => format.number(count) },
  ];
  return (
    <div className="changes-part">
      <h3>{t('title')}</h3>
      <p className="note">{t('note')}</p>
      <DataTable
        isDense
        caption={t('title')}
        columns={columns}
        rows={job.errorSummary.slice(0, SHOWN)}
        keyOf={({ code, path }) => `${code}:${path}`}
      />
    </div>
  );
}
