/** The form in which SKUs are kept and looked up. */

/** A SKU trimmed and in NFC; its case counts. */
export function normalizeSku(sku: string): string {
  return sku.trim().normalize('NFC');
}
