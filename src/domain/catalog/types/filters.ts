/** The ways in which values are filtered; each attribute type names one of them. */
import type { FilterOperator } from '../../kernel/value-filter.js';
import type { ValueFilter } from './attribute-type.js';

const ALWAYS: readonly FilterOperator[] = ['EQUALS', 'IN', 'NOT_IN', 'EXISTS'];
const ORDERED: readonly FilterOperator[] = [...ALWAYS, 'RANGE', 'GTE', 'LTE'];

/** For values that are only compared for equality. */
export const WORD_FILTER: ValueFilter = { operators: ALWAYS, comparison: 'text' };
/** For texts, in which a part can be searched. */
export const TEXT_FILTER: ValueFilter = { operators: [...ALWAYS, 'CONTAINS'], comparison: 'text' };
export const NUMBER_FILTER: ValueFilter = { operators: ORDERED, comparison: 'number' };
/** For dates, where a day contains its instants. */
export const DATE_FILTER: ValueFilter = { operators: ORDERED, comparison: 'date' };
