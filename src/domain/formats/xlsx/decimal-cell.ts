/** Which decimals a cell can hold as a number without losing digits. */

const MAX_EXACT_DIGITS = 15;
/** A decimal without an exponent. */
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * The cell for an exact decimal (`-12.50`): a number where spreadsheet programs keep all its digits, which is up to 15
 * of them, else text.
 */
export function decimalCell(text: string): number | string {
  return DECIMAL.test(text) && significantDigits(text) <= MAX_EXACT_DIGITS ? Number(text) : text;
}

/** Whether spreadsheet programs keep all digits of a number. */
export function keepsItsDigits(value: number): boolean {
  if (Number.isInteger(value) && value > -1e15 && value < 1e15) return true;
  return Number.isFinite(value) && significantDigits(String(value)) <= MAX_EXACT_DIGITS;
}

function significantDigits(text: string): number {
  const [mantissa = ''] = text.split('e');
  const digits = mantissa.replace(/[-.]/g, '').replace(/^0+/, '');
  return (mantissa.includes('.') ? digits : digits.replace(/0+$/, '')).length;
}
