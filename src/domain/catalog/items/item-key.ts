/** The form in which SKUs are stored and looked up. */

/** The longest SKU. */
export const MAX_SKU_CHARACTERS = 255;

/** A SKU trimmed and in NFC; its case is significant. */
export function normalizeSku(sku: string): string {
  return sku.trim().normalize('NFC');
}

/** The SKU of a JSON element, before anything in it is checked; null when it has none that is a text. */
export function skuOfElement(element: unknown): string | null {
  if (typeof element !== 'object' || element === null || !('sku' in element)) return null;
  return typeof element.sku === 'string' ? element.sku : null;
}
