/** Writes numbers with all their digits as a language does, whatever the browser: older ones write 20 decimals at most, or round texts. */

/** As the API writes numbers. A text such as `00123` is of a time when its attribute held texts. */
const WRITTEN = /^(?!-0$)(-?)(0|[1-9]\d*)(?:\.(\d+))?$/;
/** 2,023 would be no year. */
const SHORT = 4;

/** @returns writes a number; undefined: it is written in another form than the API writes numbers in */
export function numberTexts(locale: string): (text: string, isWhole: boolean) => string | undefined {
  const grouped = new Intl.NumberFormat(locale);
  const plain = new Intl.NumberFormat(locale, { useGrouping: false });
  const { decimal } = numberSigns(locale);
  return (text, isWhole) => {
    const [, minus, whole = '', decimals] = WRITTEN.exec(text) ?? [];
    if (minus === undefined) return undefined;
    const format = isWhole && decimals === undefined && whole.length <= SHORT ? plain : grouped;
    return `${minus}${format.format(BigInt(whole))}${decimals === undefined ? '' : decimal + decimals}`;
  };
}

export interface NumberSigns {
  readonly decimal: string;
  readonly group: string;
}

export function numberSigns(locale: string): NumberSigns {
  const parts = new Intl.NumberFormat(locale).formatToParts(12_345_678.5);
  const sign = (type: string, otherwise: string) => parts.find((part) => part.type === type)?.value ?? otherwise;
  return { decimal: sign('decimal', '.'), group: sign('group', ',') };
}
