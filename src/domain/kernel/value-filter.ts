/** The operators by which exports filter items by the value of an attribute, and how values compare. */

export const FILTER_OPERATORS = ['EQUALS', 'IN', 'NOT_IN', 'CONTAINS', 'RANGE', 'GTE', 'LTE', 'EXISTS'] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** How values compare: as text, as numbers, or as dates (a day includes all its instants). */
export type Comparison = 'text' | 'number' | 'date';
