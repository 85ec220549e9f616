/** The problems of fields that are no attributes: SKUs, alternate categories and channels. */
import { MAX_SKU_CHARACTERS } from '../../../catalog/items/item-key.js';
import { characterCount, isLongerThan, isStorable, storable } from '../../../kernel/characters.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { AlternateRef } from './item-draft.js';

/** The most alternate categories, and the most channels, of one item. */
const MAX_ALTERNATES = 1_000;
const MAX_CHANNELS = 1_000;
const MAX_CHANNEL = 2_147_483_647;

/** Whether a SKU consists of visible ASCII, as most do: then it is stored as it is, and there is nothing to note. */
export function isPlainSku(text: string): boolean {
  if (text === '' || text.length > MAX_SKU_CHARACTERS) return false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code <= 32 || code >= 127) return false;
  }
  return true;
}

/** @param sku normalized */
export function skuProblem(sku: string, column: string): RowProblem | null {
  if (sku === '') return { code: 'SKU_REQUIRED', column, message: 'the row has no SKU; every item needs one' };
  if (isLongerThan(sku, MAX_SKU_CHARACTERS)) {
    const message = `the SKU has ${characterCount(sku)} characters; at most ${MAX_SKU_CHARACTERS} are allowed`;
    return { code: 'SKU_TOO_LONG', column, message, value: storable(sku.slice(0, 100), 100) };
  }
  if (isStorable(sku)) return null;
  return { code: 'INVALID_TEXT', column, message: 'the SKU holds a NUL or half a surrogate pair; remove it' };
}

export function alternatesProblem(named: readonly AlternateRef[], column: string): RowProblem | null {
  if (named.some((one) => typeof one === 'string' && !isStorable(one))) {
    const message = 'the path of a category holds a NUL or half a surrogate pair; remove it';
    return { code: 'INVALID_TEXT', column, message };
  }
  if (named.length <= MAX_ALTERNATES) return null;
  const message = `the row names ${named.length} alternate categories; at most ${MAX_ALTERNATES} are allowed`;
  return { code: 'VALUE_RANGE', column, message };
}

export function channelsProblem(channels: readonly number[], column: string): RowProblem | null {
  const wrong = channels.find((channel) => !Number.isInteger(channel) || channel < 0 || channel > MAX_CHANNEL);
  if (wrong !== undefined) {
    const message = `a channel is a whole number from 0 to ${MAX_CHANNEL}, not ${wrong}`;
    return { code: 'VALUE_RANGE', column, message, value: String(wrong) };
  }
  if (channels.length <= MAX_CHANNELS) return null;
  const message = `the row names ${channels.length} channels; at most ${MAX_CHANNELS} are allowed`;
  return { code: 'VALUE_RANGE', column, message };
}
