/** Whether columns are those of our own files, which are imported without a profile. */
import type { LongshoreClient } from '@longshore/client';
import { allPages } from '../all-pages.js';
import { TYPES } from './options.js';

type FileType = (typeof TYPES)[keyof typeof TYPES];

/** Columns and members that only our own files have: one is enough. */
const OURS: Readonly<Record<FileType, readonly string[]>> = {
  ITEM_IMPORT: ['category node', 'hierarchy node', 'nodename', 'nodeid', 'attributevalues', 'parentsku'],
  BUNDLE_IMPORT: ['category node', 'hierarchy node', 'nodename', 'nodeid', 'attributevalues', 'bundleitems'],
  ATTRIBUTE_IMPORT: ['attribute title', 'textsubtype', 'optionstype', 'validation'],
  CATEGORY_IMPORT: ['category path', 'itemattributes', 'parentnodename', 'parentnodeid'],
};
/** Those that items have besides their attributes. */
const FIXED = [
  'sku',
  'parent sku',
  'alternate categories',
  'alternatecategories',
  'channels',
  'items',
  'attributes',
  'type',
];
/** More names do not fit into an address. */
const ASKED_AT_ONCE = 50;

/** @param columns as the file writes them */
export async function areOurs(
  api: LongshoreClient,
  type: keyof typeof TYPES,
  columns: readonly string[],
): Promise<boolean> {
  const names = columns.map((name) => name.trim().normalize('NFC').toLowerCase()).filter((name) => name !== '');
  const fileType = TYPES[type];
  // An error file brings the options of its job.
  if (names.includes('_job') || OURS[fileType].some((name) => names.includes(name))) return true;
  if (type !== 'items' && type !== 'bundles') return false;
  const others = names.filter((name) => !name.startsWith('_') && !FIXED.includes(name));
  if (!names.includes('sku') && !(await haveKey(api, others))) return false;
  return haveAttributes(api, others);
}

/** Whether one of the names is that of the attribute that identifies items. */
async function haveKey(api: LongshoreClient, names: readonly string[]): Promise<boolean> {
  const { data } = await api.getAttributeMapping({ limit: 100 });
  const key = data.find(({ mapping }) => mapping === 'sku');
  return key !== undefined && names.includes(key.attribute.normalize('NFC').toLowerCase());
}

/** Whether all names are those of attributes. */
async function haveAttributes(api: LongshoreClient, names: readonly string[]): Promise<boolean> {
  for (let from = 0; from < names.length; from += ASKED_AT_ONCE) {
    const asked = names.slice(from, from + ASKED_AT_ONCE);
    const found = await allPages((offset) => api.listAttributes({ names: asked, offset, limit: ASKED_AT_ONCE }));
    if (found.length < asked.length) return false;
  }
  return true;
}
