/** The errors of a job by what is wrong and where; each group can be corrected at once. */
import type { Job, JobError } from '@longshore/client';
import { type FormEvent, useMemo, useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Button } from '../../components/button.js';
import { Badge } from '../../components/content.js';
import { TextInput } from '../../components/text-input.js';
import { setApart, withoutTurns } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';
import { useTyped } from '../../typed/use-typed.js';
import type { Corrections } from './corrections.js';
import type { ErrorTable } from './error-table.js';
import { cellKey } from './error-table.js';
import { meaningOf, useErrorText } from './error-texts.js';
import { GroupValues } from './group-values.js';

const SHOWN = 12;

const useText = textsOf('error-groups', {
  count: { en: '{count, plural, one {# row} other {# rows}}', de: '{count, plural, one {# Zeile} other {# Zeilen}}' },
  says: { en: 'Longshore says', de: 'Longshore meldet' },
  rows: { en: 'Rows {rows}', de: 'Zeilen {rows}' },
  newValue: { en: 'New value for all', de: 'Neuer Wert für alle' },
  apply: {
    en: '{count, plural, one {Correct it like this} other {Correct all # like this}}',
    de: '{count, plural, one {So korrigieren} other {Alle # so korrigieren}}',
  },
  applySome: {
    en: 'Correct {count, number} of {all, number} like this',
    de: '{count, number} von {all, number} so korrigieren',
  },
  some: {
    en: 'Only {count, number} of these {all, number} rows can be corrected here. The others fail again when you send these, and are next; or correct all of them in the error file.',
    de: 'Nur {count, number} dieser {all, number} Zeilen lassen sich hier korrigieren. Die anderen schlagen noch einmal fehl, wenn Sie diese senden, und sind dann dran; oder korrigieren Sie alle in der Fehlerdatei.',
  },
  replaceInstead: { en: 'Replace a part instead', de: 'Stattdessen einen Teil ersetzen' },
  valueInstead: { en: 'One value for all instead', de: 'Stattdessen ein Wert für alle' },
  find: { en: 'Find', de: 'Suchen' },
  replace: { en: 'Replace by', de: 'Ersetzen durch' },
  nothing: { en: 'No value of this group contains that.', de: 'Kein Wert dieser Gruppe enthält das.' },
  applied: { en: 'Corrected', de: 'Korrigiert' },
  only: { en: 'Show only these rows', de: 'Nur diese Zeilen zeigen' },
  everything: { en: 'Show all rows', de: 'Alle Zeilen zeigen' },
  more: {
    en: '{count, plural, one {Show # more group} other {Show # more groups}}',
    de: '{count, plural, one {# weitere Gruppe zeigen} other {# weitere Gruppen zeigen}}',
  },
});

type Group = Job['errorSummary'][number];

interface Editing {
  readonly table: ErrorTable;
  readonly corrections: Corrections;
  readonly columnOf: (name: string) => number;
  /** The group whose rows alone are shown. */
  readonly group: string | undefined;
  readonly onGroup: (group: string | undefined) => void;
}

interface ErrorGroupsProps {
  readonly job: Job;
  readonly errors: readonly JobError[];
  /** Undefined: the groups are shown, and not corrected here. */
  readonly editing?: Editing;
}

export function groupKey(code: string, column: string | null): string {
  return `${code}:${column ?? ''}`;
}

export function ErrorGroups({ job, errors, editing }: ErrorGroupsProps) {
  const t = useText();
  const [shown, setShown] = useState(SHOWN);
  const groups = job.errorSummary;
  const ofGroups = useMemo(() => byGroup(errors), [errors]);
  return (
    <>
      <ul className="groups">
        {groups.slice(0, shown).map((group) => (
          <GroupCard
            key={groupKey(group.code, group.path)}
            group={group}
            own={ofGroups.get(groupKey(group.code, group.path)) ?? []}
            editing={editing}
            jobId={job.id}
            isAlone={groups.length === 1}
          />
        ))}
      </ul>
      {groups.length > shown ? (
        <Button onPress={() => setShown(shown + 2 * SHOWN)}>{t('more', { count: groups.length - shown })}</Button>
      ) : null}
    </>
  );
}

/** Once for all groups: there may be thousands of errors, and whoever types renders the groups each time. */
function byGroup(errors: readonly JobError[]): ReadonlyMap<string, readonly JobError[]> {
  const found = new Map<string, JobError[]>();
  for (const error of errors) {
    const key = groupKey(error.code, error.column);
    const own = found.get(key);
    if (own === undefined) found.set(key, [error]);
    else own.push(error);
  }
  return found;
}

interface GroupCardProps {
  readonly group: Group;
  /** The errors of the group, as far as they are loaded. */
  readonly own: readonly JobError[];
  readonly editing: Editing | undefined;
  readonly jobId: string;
  /** There is no other, so that its controls need not name it. */
  readonly isAlone: boolean;
}

function GroupCard({ group, own, editing, jobId, isAlone }: GroupCardProps) {
  const t = useText();
  const meaning = useErrorText();
  const key = groupKey(group.code, group.path);
  const column = editing === undefined || group.path === null ? -1 : editing.columnOf(group.path);
  const isOnly = editing?.group === key;
  const cells = editing === undefined ? [] : own.map(({ row }) => cellKey(row, column));
  // Only the first errors of a job are loaded.
  const isWhole = rowsOf(own) >= group.count;
  const isCorrected =
    isWhole && cells.length > 0 && column >= 0 && cells.every((cell) => editing?.corrections.edits.has(cell));
  const title = `${group.path === null ? '' : `${setApart(group.path)}: `}${meaning(meaningOf(group.code))}`;
  const labelOf = (action: string) => (isAlone ? {} : { 'aria-label': `${action}: ${title}` });
  return (
    <li className={isCorrected ? 'group corrected' : 'group'}>
      <div className="group-head">
        <h3>
          {group.path === null ? null : (
            <>
              <bdi className="group-column">{group.path}</bdi>:{' '}
            </>
          )}
          {meaning(meaningOf(group.code))}
        </h3>
        <Badge tone={isCorrected ? 'good' : 'bad'}>
          {isCorrected ? t('applied') : t('count', { count: group.count })}
        </Badge>
      </div>
      <GroupValues errors={own} />
      <details>
        <summary {...labelOf(t('says'))}>{t('says')}</summary>
        <p className="said" lang="en">
          {withoutTurns(group.example)}
        </p>
        <p className="small">
          <span className="code">{group.code}</span> · {t('rows', { rows: group.rows })}
        </p>
      </details>
      {editing === undefined ? null : (
        <>
          {isWhole || column < 0 ? null : <p className="note">{t('some', { count: rowsOf(own), all: group.count })}</p>}
          {column >= 0 && own.length > 0 ? (
            <CorrectAll {...{ editing, column, group, jobId, labelOf }} errors={own} />
          ) : null}
          <Button
            kind="quiet"
            {...labelOf(t(isOnly ? 'everything' : 'only'))}
            onPress={() => editing.onGroup(isOnly ? undefined : key)}
          >
            {isOnly ? t('everything') : t('only')}
          </Button>
        </>
      )}
    </li>
  );
}

/** A row may have two such errors. */
function rowsOf(errors: readonly JobError[]): number {
  return new Set(errors.map(({ row }) => row)).size;
}

interface CorrectAllProps {
  readonly editing: Editing;
  readonly errors: readonly JobError[];
  readonly column: number;
  readonly group: Group;
  readonly jobId: string;
  /** The name of a control among those of other groups. */
  readonly labelOf: (action: string) => { readonly 'aria-label'?: string };
}

const NOTHING_TYPED = { value: '', find: '', isReplacing: false };

function CorrectAll({ editing, errors, column, group: { code, path, count }, jobId, labelOf }: CorrectAllProps) {
  const t = useText();
  const typed = useTyped(`correct.${jobId}.${groupKey(code, path)}`, NOTHING_TYPED);
  const { value: text, find, isReplacing } = typed.values;
  const name = path ?? '';
  const [problem, setProblem] = useState<string>();
  const { table, corrections } = editing;
  const own = rowsOf(errors);
  const label = t(isReplacing ? 'replace' : 'newValue');
  const correct = own < count ? t('applySome', { count: own, all: count }) : t('apply', { count: own });
  const other = t(isReplacing ? 'valueInstead' : 'replaceInstead');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const rows = new Set(errors.map(({ row }) => row));
    const changes = table.rows.flatMap(({ row, cells }) => {
      if (!rows.has(row)) return [];
      const present = corrections.edits.get(cellKey(row, column)) ?? cells[column] ?? '';
      if (!isReplacing) return [{ row, column, value: text }];
      return find !== '' && present.includes(find) ? [{ row, column, value: present.replaceAll(find, text) }] : [];
    });
    setProblem(changes.length === 0 ? t('nothing') : undefined);
    corrections.edit(changes);
    if (changes.length > 0) typed.forget();
  };
  return (
    <Form className="correct-all" onSubmit={submit}>
      {isReplacing ? (
        <TextInput
          label={t('find')}
          {...labelOf(t('find'))}
          value={find}
          onChange={(next) => typed.set({ find: next })}
          error={problem}
        />
      ) : null}
      <TextInput
        value={text}
        onChange={(value) => typed.set({ value })}
        label={label}
        aria-label={`${label}: ${setApart(name)}`}
        {...labelOf(label)}
      />
      <Button type="submit" {...labelOf(correct)}>
        {correct}
      </Button>
      <Button kind="quiet" {...labelOf(other)} onPress={() => typed.set({ isReplacing: !isReplacing })}>
        {other}
      </Button>
    </Form>
  );
}
