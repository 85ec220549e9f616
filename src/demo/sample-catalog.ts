/** The sample catalog of examples/, and the results that are expected. */
import { readFileSync } from 'node:fs';
import type { schemas } from '@longshore/client';

/** The folder, relative to dist/src/demo. */
const EXAMPLES = new URL('../../../examples/', import.meta.url);

export interface SampleCatalog {
  readonly attributes: readonly schemas.AttributeInput[];
  readonly mapping: schemas.SetAttributeMappingRequest;
  readonly categories: { readonly primary: readonly CategoryNode[]; readonly alternate: AlternateTree };
  readonly items: readonly schemas.ItemInput[];
  readonly csv: string;
  readonly expected: Expected;
}

export interface CategoryNode {
  readonly name: string;
  readonly assign: readonly { readonly name: string; readonly mandatory: boolean }[];
  readonly children: readonly CategoryNode[];
}

export interface AlternateTree {
  readonly name: string;
  readonly children: readonly { readonly name: string; readonly skus: readonly string[] }[];
}

export interface Totals {
  readonly items: number;
  readonly live: number;
  readonly draft: number;
}

interface Problem {
  readonly code: string;
  readonly path: string | null;
  readonly count: number;
}

export interface Expected {
  readonly attributes: number;
  /** How many categories the primary tree has, including the root. */
  readonly categories: number;
  readonly jsonInsert: {
    readonly rows: number;
    readonly created: number;
    readonly failed: readonly { readonly sku: string; readonly code: string }[];
  };
  readonly csvImport: {
    readonly rows: number;
    readonly created: number;
    readonly updated: number;
    readonly unchanged: number;
    readonly failed: number;
    /** The rows of the error file, which does not contain rows that were superseded by another row with their SKU. */
    readonly inErrorFile: number;
    readonly problems: readonly Problem[];
  };
  readonly afterImport: Totals;
  readonly afterCorrection: Totals & { readonly byCategory: Readonly<Record<string, number>> };
  /** An item whose values are easily damaged on their way. */
  readonly showcase: { readonly sku: string; readonly attributes: Readonly<Record<string, unknown>> };
}

/** The files are written by a generator in this repository, so their structure is not checked. */
export function readSampleCatalog(): SampleCatalog {
  return {
    attributes: json('attributes.json') as SampleCatalog['attributes'],
    mapping: json('mapping.json') as SampleCatalog['mapping'],
    categories: json('categories.json') as SampleCatalog['categories'],
    items: json('items.json') as SampleCatalog['items'],
    csv: text('items.csv'),
    expected: json('expected.json') as Expected,
  };
}

function json(name: string): unknown {
  return JSON.parse(text(name));
}

function text(name: string): string {
  return readFileSync(new URL(name, EXAMPLES), 'utf8');
}
