/** What an export was asked for, in words, and the way to ask for the same again. */
import type { Job } from '@longshore/client';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ButtonLink } from '../../components/button.js';
import { useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { pathOf, useCategory } from '../catalog/category-pick.js';
import { inWords, useConditionText } from '../catalog/condition-text.js';
import { useDefinitions } from '../catalog/use-attributes.js';
import { useValues } from '../catalog/values.js';
import { useColumnName } from './export-columns.js';
import { whatOf } from './export-job.js';
import { againOf, filterOf } from './export-request.js';

const useText = textsOf('export-request', {
  filter: { en: 'Filter:', de: 'Filter:' },
  named: {
    en: '{count, plural, one {# record that was named} other {# records that were named}}',
    de: '{count, plural, one {# genannter Datensatz} other {# genannte Datensätze}}',
  },
  contains: { en: 'SKU or title contains {text}', de: 'SKU oder Titel enthält {text}' },
  begins: { en: 'SKU begins with {text}', de: 'SKU beginnt mit {text}' },
  LIVE: { en: 'Status is live', de: 'Status ist live' },
  DRAFT: { en: 'Status is draft', de: 'Status ist Entwurf' },
  category: { en: 'Category is {name}', de: 'Kategorie ist {name}' },
  changed: { en: 'changed since {day}', de: 'geändert seit {day}' },
  columns: { en: 'Columns: {names}', de: 'Spalten: {names}' },
  moreColumns: {
    en: 'Columns: {names} and {count} more',
    de: 'Spalten: {names} und {count} weitere',
  },
  since: { en: 'Only what changed since {time}', de: 'Nur was sich seit {time} geändert hat' },
  sinceJob: {
    en: 'Only what changed since an earlier export',
    de: 'Nur was sich seit einem früheren Export geändert hat',
  },
  sinceCursor: {
    en: 'Only what changed since a place in the feed of changes',
    de: 'Nur was sich seit einer Stelle im Änderungsverlauf geändert hat',
  },
  channel: { en: 'Only what channel {number} shows', de: 'Nur was Kanal {number} zeigt' },
  upTo: {
    en: 'Only what was changed up to {time}',
    de: 'Nur was bis {time} geändert wurde',
  },
  publishAs: { en: 'Published as “{name}”', de: 'Veröffentlicht als „{name}“' },
  again: { en: 'Use again', de: 'Wieder verwenden' },
  againOf: { en: 'Use again: {name}', de: 'Wieder verwenden: {name}' },
});

const SHOWN_COLUMNS = 8;
const SHOWN_CHARACTERS = 200;

interface RequestWordsProps {
  readonly job: Job;
  /** With its columns and the rest, and not its filter alone. */
  readonly isWhole?: boolean;
}

export function RequestWords({ job, isWhole = false }: RequestWordsProps) {
  const { request } = job;
  if (request === undefined) return null;
  return isWhole ? (
    <>
      <Filter request={request} />
      <Rest request={request} />
    </>
  ) : (
    <span className="small">
      <Filter request={request} />
    </span>
  );
}

type Request = NonNullable<Job['request']>;

function Filter({ request: { match = {}, named } }: { readonly request: Request }) {
  const t = useText();
  const format = useFormat();
  const words = useConditionText();
  const values = useValues();
  const { filter, left } = filterOf(match);
  const category = useCategory(filter.in);
  const { data: definitions } = useDefinitions();
  const said = [
    ...(named === undefined ? [] : [t('named', { count: named })]),
    ...(filter.q === undefined ? [] : [t('contains', { text: filter.q })]),
    ...(filter.sku === undefined ? [] : [t('begins', { text: filter.sku })]),
    ...(filter.status === undefined ? [] : [t(filter.status)]),
    ...(filter.in === undefined
      ? []
      : [t('category', { name: category === undefined ? String(filter.in) : pathOf(category) })]),
    ...(filter.changed === undefined ? [] : [t('changed', { day: format.day(filter.changed) })]),
    ...(filter.where ?? []).map((condition) =>
      inWords(condition, definitions?.byName.get(condition.name), values, words),
    ),
    // As the request said it: the form has no words for it.
    ...left.map((name) => `${name} ${JSON.stringify(match[name])}`),
  ].map((text) => (text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text));
  if (said.length === 0) return null;
  return (
    <>
      {t('filter')} <bdi>{said.join('; ')}</bdi>
    </>
  );
}

function Rest({ request: { columns, since, publishAs, channel, date } }: { readonly request: Request }) {
  const t = useText();
  const format = useFormat();
  const { stage } = usePresent();
  const columnName = useColumnName();
  return (
    <>
      {columns === undefined ? null : <Line>{columnsText(columns.map(columnName), t)}</Line>}
      {channel === undefined ? null : <Line>{t('channel', { number: String(channel) })}</Line>}
      {date === undefined ? null : <Line>{t('upTo', { time: format.time(date) })}</Line>}
      {since?.time === undefined ? null : <Line>{t('since', { time: format.time(since.time) })}</Line>}
      {since?.cursor === undefined ? null : <Line>{t('sinceCursor')}</Line>}
      {since?.jobId === undefined ? null : (
        <Line>
          <Link to="/$stage/exports" params={{ stage: stage.name }} search={{ job: since.jobId }}>
            {t('sinceJob')}
          </Link>
        </Line>
      )}
      {publishAs === undefined ? null : <Line>{t('publishAs', { name: publishAs })}</Line>}
    </>
  );
}

function columnsText(columns: readonly string[], t: ReturnType<typeof useText>): string {
  const names = columns.slice(0, SHOWN_COLUMNS).join(', ');
  const count = columns.length - SHOWN_COLUMNS;
  return count > 0 ? t('moreColumns', { names, count }) : t('columns', { names });
}

function Line({ children }: { readonly children: ReactNode }) {
  return (
    <span className="line">
      <bdi>{children}</bdi>
    </span>
  );
}

interface UseAgainProps {
  readonly job: Job;
  /** What the export is called among others; undefined: it stands alone. */
  readonly name?: string;
}

/** Opens the form of a new export with all that this one was asked for. */
export function UseAgain({ job, name }: UseAgainProps) {
  const t = useText();
  const { stage } = usePresent();
  const again = againOf(job, useMay('feeds:write'));
  if (again === undefined) return null;
  const { type: _, ...filter } = again.filter;
  return (
    <ButtonLink
      kind="quiet"
      aria-label={name === undefined ? undefined : t('againOf', { name })}
      to="/$stage/exports/new"
      params={{ stage: stage.name }}
      search={{
        ...filter,
        ...(whatOf(job) === 'bundles' ? { type: 'BUNDLE' as const } : {}),
        ...(again.since === undefined ? {} : { since: again.since }),
        again: job.id,
      }}
    >
      {t('again')}
    </ButtonLink>
  );
}
