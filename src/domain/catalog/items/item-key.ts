/** The form in which SKUs are stored and looked up. */

/** The longest SKU. */
export const MAX_SKU_CHARACTERS = 255;

/** A SKU trimmed and in NFC; its case is significant. */
export function normalizeSku(sku: string): string {
  return sku.trim().normalize('NFC');
}
