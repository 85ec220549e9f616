/** What the form of a destination holds, and what of it the API is sent. */
import { type ItemFilter, matchOf, readItemFilter } from '../catalog/item-search.js';
import type { What } from '../exports/export-job.js';
import type { ExportForm } from '../exports/start-export.js';
import { connectionOf, connectionValuesOf, NEW_CONNECTION } from './connection-values.js';
import { hoursOf, minutesOf, NO_SECRET, numberOf } from './feed-values.js';
import type { FormValues, NewFeed } from './form-kind.js';
import { newSchedule, scheduleOf, valuesOfSchedule } from './schedule.js';
import type { Feed } from './use-feeds.js';

type Members = Readonly<Record<string, unknown>>;

export interface DestinationValues extends FormValues {
  readonly form: ExportForm;
  /** Undefined: what is selected stays as a program has saved it, in a form that the page does not have. */
  readonly filter: ItemFilter | undefined;
  readonly content: 'WHOLE' | 'DELTA';
  readonly fileName: string;
  /** How many files stay; empty: all. */
  readonly keep: string;
  readonly whenEmpty: 'SKIP' | 'WRITE';
  /** The name of the source after whose imports it runs; empty: none. */
  readonly after: string;
}

const TYPES: Readonly<Record<What, string>> = {
  items: 'ITEM_EXPORT',
  bundles: 'BUNDLE_EXPORT',
  attributes: 'ATTRIBUTE_EXPORT',
  categories: 'CATEGORY_EXPORT',
};

export function newDestination(timeZone: string): DestinationValues {
  return {
    ...{ name: '', connection: { ...NEW_CONNECTION, kind: 'sftp' }, ...NO_SECRET, filter: {} },
    form: { what: 'items', format: 'CSV', csv: 'standard' },
    ...{ content: 'WHOLE', fileName: 'items-{date}.csv', keep: '', whenEmpty: 'SKIP', after: '' },
    ...{ schedule: newSchedule(timeZone), expectHours: '' },
  };
}

export function destinationValuesOf(feed: Feed, timeZone: string): DestinationValues {
  const { name, connection, content, fileName, keep, whenEmpty, after, schedule, expectWithinMinutes } = feed;
  const asked = Object(feed.export) as Members;
  const { format, delimiter, profile, columns, type } = asked;
  return {
    ...{ name, ...NO_SECRET, connection: connectionValuesOf(connection) },
    form: {
      what: (Object.keys(TYPES) as What[]).find((what) => TYPES[what] === type) ?? 'items',
      format: (typeof format === 'string' ? format : 'CSV') as ExportForm['format'],
      csv: delimiter === ';' ? 'semicolon' : 'standard',
      ...(typeof profile === 'string' ? { profile } : {}),
      ...(Array.isArray(columns) ? { columns: columns.map(String) } : {}),
    },
    filter: filterOf(Object(asked.match) as Members),
    ...{ content: content ?? 'WHOLE', fileName: fileName ?? '', keep: keep === null ? '' : String(keep) },
    ...{ whenEmpty: whenEmpty ?? 'WRITE', after: after?.feed ?? '' },
    ...{ schedule: valuesOfSchedule(schedule, timeZone), expectHours: hoursOf(expectWithinMinutes) },
  };
}

/** @param before what is saved: what the form does not have of its export stays. What is wrong with it, the API says. */
export function destinationBodyOf(values: DestinationValues, before: Feed | undefined): NewFeed {
  const { name, connection, content, fileName, keep, whenEmpty, after, schedule, expectHours } = values;
  return {
    name: name.trim(),
    direction: 'DESTINATION',
    connection: connectionOf(connection) as NewFeed['connection'],
    export: exportOf(values, before) as NonNullable<NewFeed['export']>,
    ...{ content: connection.kind === 'published' ? 'WHOLE' : content, fileName: fileName.trim(), whenEmpty },
    keep: keep.trim() === '' || connection.kind === 'published' || connection.kind === 'https' ? null : numberOf(keep),
    after: after === '' ? null : { feed: after },
    schedule: scheduleOf(schedule),
    expectWithinMinutes: minutesOf(expectHours),
  };
}

function exportOf({ form, filter }: DestinationValues, before: Feed | undefined): Members {
  const { what, format, csv, profile, columns } = form;
  const isOfItems = what === 'items' || what === 'bundles';
  const { type, match, ...former } = Object(before?.export) as Members;
  const isSame = type === TYPES[what] && former.format === format && former.profile === profile;
  const { columns: _, delimiter: __, decimalSeparator: ___, bom: ____, profile: _____, ...kept } = former;
  const isForSpreadsheets = format === 'CSV' && profile === undefined && csv === 'semicolon';
  return {
    ...(isSame ? kept : {}),
    type: TYPES[what],
    match: filter === undefined ? match : isOfItems ? { ...matchOf(filter) } : {},
    format,
    ...(isForSpreadsheets ? { delimiter: ';', decimalSeparator: ',', bom: true } : {}),
    ...(profile === undefined ? {} : { profile }),
    ...(columns === undefined || profile !== undefined || !isOfItems ? {} : { columns: [...columns] }),
  };
}

/** A selection in the form of the page; undefined: it has parts that the page does not have. */
function filterOf({ status, categoryId = [], updatedAt, properties = [], ...others }: Members): ItemFilter | undefined {
  if (Object.keys(others).length > 0 || !Array.isArray(categoryId) || categoryId.length > 1) return undefined;
  const { op, value: changed, ...bounds }: Members = Object(updatedAt);
  const filter = readItemFilter({ status, in: categoryId[0], changed, where: properties });
  const isDaySame =
    updatedAt === undefined || (op === 'GTE' && filter.changed === changed && Object.keys(bounds).length === 0);
  const isWhole =
    isDaySame &&
    filter.status === status &&
    filter.in === categoryId[0] &&
    (filter.where ?? []).length === (Array.isArray(properties) ? properties.length : -1);
  return isWhole ? filter : undefined;
}
