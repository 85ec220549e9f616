/** The names of months, in full and cut, in the languages that files of catalogs are written in. */

/** January first; several words for one month have a slash between them. */
const FULL = [
  'january february march april may june july august september october november december',
  'januar/jänner februar/feber märz april mai juni juli august september oktober november dezember',
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
  'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
  'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
  'januari februari maart april mei juni juli augustus september oktober november december',
  'styczeń/stycznia luty/lutego marzec/marca kwiecień/kwietnia maj/maja czerwiec/czerwca lipiec/lipca sierpień/sierpnia wrzesień/września październik/października listopad/listopada grudzień/grudnia',
  'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro',
  'január/január február/február marec/marca apríl/apríla máj/mája jún/júna júl/júla august/augusta september/septembra október/októbra november/novembra december/decembra',
  'leden/ledna únor/února březen/března duben/dubna květen/května červen/června červenec/července srpen/srpna září říjen/října listopad/listopadu prosinec/prosince',
  'januari februari mars april maj juni juli augusti september oktober november december',
];
const CUT = [
  'jan feb mar apr may jun jul aug sep/sept oct nov dec',
  'jän feb mär/mrz apr mai jun jul aug sep okt nov dez',
  'janv févr/fév mars avr mai juin juil août sept oct nov déc',
  'ene feb mar abr may jun jul ago sep oct nov dic',
  'gen feb mar apr mag giu lug ago set ott nov dic',
  'jan feb mrt apr mei jun jul aug sep okt nov dec',
  'sty lut mar kwi maj cze lip sie wrz paź lis gru',
  'jan fev mar abr mai jun jul ago set out nov dez',
];

export interface MonthName {
  /** From 1. */
  readonly month: number;
  readonly isCut: boolean;
}

const MONTHS = new Map<string, MonthName>();
for (const [lists, isCut] of [[CUT, true] as const, [FULL, false] as const]) {
  for (const list of lists) {
    list.split(' ').forEach((words, index) => {
      for (const word of words.split('/')) {
        if (!MONTHS.has(word)) MONTHS.set(word, { month: index + 1, isCut });
      }
    });
  }
}

/** The month that a word names. */
export function monthNamed(word: string): MonthName | undefined {
  return MONTHS.get(word.toLowerCase());
}
