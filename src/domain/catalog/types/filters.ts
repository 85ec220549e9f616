/** The ways in which values are filtered; each attribute type names one of them. */
import type { FilterOperator } from '../../kernel/value-filter.js';
import type { ValueFilter } from './attribute-type.js';

const ALWAYS: readonly FilterOperator[] = ['EQUALS', 'IN', 'NOT_IN', 'EXISTS'];
const ORDERED: readonly FilterOperator[] = [...ALWAYS, 'RANGE', 'GTE', 'LTE'];

/** Values that are only equal or not. */
export const WORD_FILTER: ValueFilter = { operators: ALWAYS, comparison: 'text' };
/** Texts, which may contain others. */
export const TEXT_FILTER: ValueFilter = { operators: [...ALWAYS, 'CONTAINS'], comparison: 'text' };
export const NUMBER_FILTER: ValueFilter = { operators: ORDERED, comparison: 'number' };
/** A day contains its instants. */
export const DATE_FILTER: ValueFilter = { operators: ORDERED, comparison: 'date' };
