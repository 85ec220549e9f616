/** How exports are asked for items by the values of an attribute: the operators there are, and how values compare. */

export const FILTER_OPERATORS = ['EQUALS', 'IN', 'NOT_IN', 'CONTAINS', 'RANGE', 'GTE', 'LTE', 'EXISTS'] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** How values compare: as text, as numbers, as dates (a day takes in its instants). */
export type Comparison = 'text' | 'number' | 'date';
