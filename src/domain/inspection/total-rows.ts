/** How rows of a table begin that are no data, but sums of others. */

const TOTAL =
  /^[\s*=:>-]*(?:(?:gesamt|grand|sub|zwischen)?[\s-]*(?:summe|total|totale|totaux|totales|totaal|razem|suma|celkem|spolu|summa|összesen|yhteensä|итого|всего|toplam|iš viso|kokku|kopā|σύνολο)|gesamt(?:summe)?|somme|合計|总计|合计|總計|합계|총계|小計|小计|소계|tổng cộng|סה"כ|المجموع|الإجمالي)(?!\p{L})/iu;

/** Whether the first value of a row names a sum. */
export function startsLikeTotal(text: string): boolean {
  return TOTAL.test(text);
}
