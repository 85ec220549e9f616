/** Who changed what of an item, newest first. A change is taken back by setting its former values, which are shown before. */
import type { schemas } from '@longshore/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { type Column, DataTable } from '../../components/table.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { isSame, useDrafts } from './drafts.js';
import { FieldValue, useFieldName } from './field-value.js';
import { draftName, fieldsOf, presentFields, sameForm } from './item-fields.js';
import { alternatesOf } from './save-steps.js';
import { useActors } from './use-actors.js';
import type { Definitions } from './use-attributes.js';
import { useValues } from './values.js';

const PAGE = 20;
const LONGEST = 160;
const LONGEST_WAIT_MS = 20_000;

const useText = textsOf('item-history', {
  title: { en: 'History', de: 'Geschichte' },
  none: { en: 'No change of it is kept.', de: 'Es ist keine Änderung aufbewahrt.' },
  CREATED: { en: 'Created', de: 'Angelegt' },
  UPDATED: { en: 'Changed', de: 'Geändert' },
  DELETED: { en: 'Deleted', de: 'Gelöscht' },
  STATUS: { en: 'Status changed', de: 'Status geändert' },
  name: { en: 'Column', de: 'Spalte' },
  before: { en: 'Before', de: 'Vorher' },
  after: { en: 'After', de: 'Nachher' },
  job: { en: 'Show the job', de: 'Auftrag ansehen' },
  row: { en: 'row {row}', de: 'Zeile {row}' },
  by: { en: 'by {name}', de: 'von {name}' },
  approvedBy: { en: 'Approved by {name}, {at}', de: 'Freigegeben von {name}, {at}' },
  approved: { en: 'Approved {at}', de: 'Freigegeben {at}' },
  approvedByRule: { en: 'Approved by the rule of the stage', de: 'Durch die Regel der Stage freigegeben' },
  setBack: { en: 'Set back these values', de: 'Diese Werte zurücksetzen' },
  of: { en: '{action}: {change}', de: '{action}: {change}' },
  more: { en: 'Show earlier changes', de: 'Frühere Änderungen zeigen' },
});

interface ItemHistoryProps {
  readonly sku: string;
  /** Undefined: it is not there any more. */
  readonly item: schemas.ListedItem | undefined;
  readonly definitions: Definitions;
  readonly onSetBack: () => void;
}

export function ItemHistory({ sku, item, definitions, onSetBack }: ItemHistoryProps) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['item-history', stage.name, sku],
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: schemas.GetItemHistoryAnswer) => next,
    queryFn: ({ pageParam, signal }) =>
      api.getItemHistory({ sku, limit: PAGE, ...(pageParam === undefined ? {} : { after: pageParam }) }, { signal }),
  });
  const changes = data?.pages.flatMap((page) => page.data) ?? [];
  const actorName = useActors(changes);
  if (error !== null && item === undefined) return null;
  return (
    <Section title={t('title')}>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data !== undefined && changes.length === 0 ? <p className="note">{t('none')}</p> : null}
      <ol className="history">
        {changes.map((change, index) => (
          <li key={`${change.at}:${change.jobId}:${change.row}:${change.operation}`} className="history-entry">
            <Entry
              change={change}
              number={changes.length - index}
              item={item}
              definitions={definitions}
              onSetBack={onSetBack}
              actorName={actorName}
            />
          </li>
        ))}
      </ol>
      {hasNextPage ? (
        <Button isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {t('more')}
        </Button>
      ) : null}
    </Section>
  );
}

interface EntryProps extends Omit<ItemHistoryProps, 'sku'> {
  readonly change: schemas.HistoryEntry;
  /** Among those that are shown. */
  readonly number: number;
  readonly actorName: (actor: string) => string;
}

function Entry({ change, number, item, definitions, onSetBack, actorName }: EntryProps) {
  const t = useText();
  const format = useFormat();
  const values = useValues();
  const api = useApi();
  const nameOf = useFieldName();
  const [error, setError] = useState<unknown>();
  const { stage } = usePresent();
  const mayWrite = useMay('catalog:write');
  const { set } = useDrafts();
  const { operation, at, jobId, row, actor, attributes, fields, approval } = change;
  const rows = [
    ...Object.entries(attributes).map(([name, one]) => ({ name, isField: false, ...one })),
    ...Object.entries(fields).map(([name, one]) => ({ name, isField: true, ...one })),
  ];
  type Row = (typeof rows)[number];
  const show = ({ name, isField }: Row, value: unknown) => {
    if (isField) return <FieldValue name={name} value={value} />;
    const text = values.show(definitions.byName.get(name) ?? { type: 'TEXT', optionsType: null }, value);
    return (
      <bdi className="text-value">
        {text === '' ? '–' : text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}
      </bdi>
    );
  };
  const columns: Column<Row>[] = [
    {
      id: 'name',
      title: t('name'),
      isHeader: true,
      cell: ({ name, isField }) => <bdi>{isField ? nameOf(name) : name}</bdi>,
    },
    { id: 'before', title: t('before'), cell: (one) => show(one, one.before) },
    { id: 'after', title: t('after'), cell: (one) => show(one, one.after) },
  ];
  const changedFields = fieldsOf(fields);
  const title = `${t(operation)} ${number}`;
  const canSetBack =
    mayWrite &&
    item !== undefined &&
    operation === 'UPDATED' &&
    Object.keys(attributes).length + changedFields.length > 0;
  const setBack = async () => {
    if (item === undefined) return;
    const hasAlternates = changedFields.includes('alternateCategories');
    const alternates = hasAlternates ? await alternatesOf(api, item.sku, AbortSignal.timeout(LONGEST_WAIT_MS)) : [];
    const present = presentFields(
      item,
      alternates.map(({ nodeId }) => nodeId),
    );
    for (const field of changedFields) {
      const value = sameForm(field, fields[field]?.before);
      const draft = { before: present[field], value, text: '' };
      set(item.sku, draftName(field), isSame(present[field], value) ? undefined : draft);
    }
    for (const [name, { before }] of Object.entries(attributes)) {
      const attribute = definitions.byName.get(name);
      if (attribute === undefined) continue;
      const text = values.edit(attribute, before);
      set(item.sku, name, { before: item.attributes[name] ?? null, value: before ?? null, text });
    }
    onSetBack();
  };
  return (
    <>
      <div className="history-head">
        <p>
          <strong>{t(operation)}</strong>{' '}
          <span className="note">
            {format.time(at)}
            {actor === null ? null : <bdi> · {t('by', { name: actorName(actor) })}</bdi>}
            {row === null ? '' : ` · ${t('row', { row })}`}
          </span>
        </p>
        <div className="actions">
          {jobId === null ? null : (
            <Link
              to="/$stage/imports/$jobId"
              params={{ stage: stage.name, jobId }}
              aria-label={t('of', { action: t('job'), change: title })}
            >
              {t('job')}
            </Link>
          )}
          {canSetBack ? (
            <Button
              icon="undo"
              aria-label={t('of', { action: t('setBack'), change: title })}
              onPress={() => void setBack().catch(setError)}
            >
              {t('setBack')}
            </Button>
          ) : null}
        </div>
      </div>
      {error === undefined ? null : <ErrorPanel error={error} />}
      {approval === null ? null : (
        <p className="note">
          <bdi>
            {approval.at === null
              ? t('approvedByRule')
              : approval.by === null
                ? t('approved', { at: format.time(approval.at) })
                : t('approvedBy', { name: actorName(approval.by), at: format.time(approval.at) })}
          </bdi>
          {approval.note === null ? null : (
            <>
              {': '}
              <bdi>{approval.note}</bdi>
            </>
          )}
        </p>
      )}
      {rows.length === 0 ? null : (
        <DataTable
          isDense
          caption={title}
          columns={columns}
          rows={rows}
          keyOf={({ name, isField }) => `${isField}:${name}`}
        />
      )}
    </>
  );
}
