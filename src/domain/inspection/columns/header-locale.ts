/** Finds the language that the name of a column ends in: `title_de`, `Name (de-DE)`, `name-de_DE-ecommerce`. */

const LANGUAGES = new Set(
  'de en fr es it nl pl pt cs sk sv da fi nb nn hu ro ru uk tr ja zh ko el bg hr sl sr et lv lt ar he vi th ca'.split(
    ' ',
  ),
);
/** As words of other meanings (`item_no`, `product_id`) they name a language only beside other languages. */
const DOUBTFUL = new Set('no id is in to'.split(' '));
const WITH_COUNTRY = /^(.+?)[\s_\-.:([]+([a-z]{2})[_-]([A-Z]{2})(?:[)\]]|-[a-z][\w-]*)?$/;
const ALONE = /^(.+?)(?:[_\-.:]|\s?[([]|\s)([a-z]{2}|[A-Z]{2})[)\]]?$/;
const NAMED = /^(.+?)\s*[([]([^()[\]]+)[)\]]$/;
/** A path of XML or JSON that selects a language: `DESCRIPTION_SHORT[@lang=ger]`. */
const SELECTED = /\[@?[\w:]*(?:lang|locale)\w*=([a-z]{2,3})(?:[-_]([a-z]{2}))?\]/i;
/** Codes of three letters, as in BMEcat. */
const THREE_LETTERS: ReadonlyMap<string, string> = new Map(
  (
    'ger de deu de eng en fre fr fra fr spa es ita it dut nl nld nl pol pl por pt cze cs ces cs slo sk slk sk swe sv dan da ' +
    'fin fi nor nb hun hu rum ro ron ro rus ru ukr uk tur tr jpn ja chi zh zho zh kor ko gre el ell el bul bg hrv hr slv sl'
  )
    .match(/\w+ \w+/g)
    ?.map((pair): [string, string] => pair.split(' ') as [string, string]),
);
const NAMES: ReadonlyMap<string, string> = new Map(
  [
    'de deutsch german allemand alemán tedesco niemiecki duits',
    'en englisch english anglais inglés inglese angielski engels',
    'fr französisch french français francés francese francuski frans',
    'es spanisch spanish espagnol español spagnolo hiszpański spaans',
    'it italienisch italian italien italiano włoski italiaans',
    'nl niederländisch dutch néerlandais neerlandés olandese nederlands',
    'pl polnisch polish polonais polaco polacco polski pools',
    'cs tschechisch czech tchèque checo ceco česky čeština',
    'ja japanisch japanese japonais japonés giapponese 日本語',
  ].flatMap((line) => {
    const [code = '', ...names] = line.split(' ');
    return names.map((name): [string, string] => [name, code]);
  }),
);

interface NamedLocale {
  readonly stem: string;
  readonly locale: string;
  readonly isDoubtful: boolean;
}

/** The locale of each name. */
export function localesOf(names: readonly string[]): (string | null)[] {
  const found = names.map(localeIn);
  const stems = new Map<string, number>();
  for (const each of found) if (each !== null) stems.set(each.stem, (stems.get(each.stem) ?? 0) + 1);
  return found.map((each) =>
    each === null || (each.isDoubtful && (stems.get(each.stem) ?? 0) < 2) ? null : each.locale,
  );
}

function localeIn(name: string): NamedLocale | null {
  const selected = SELECTED.exec(name);
  if (selected !== null) return selectedLocale(name, selected);
  const country = WITH_COUNTRY.exec(name);
  if (country !== null) {
    const [, stem = '', language = '', code = ''] = country;
    if (LANGUAGES.has(language) || DOUBTFUL.has(language)) {
      return { stem: stem.toLowerCase(), locale: `${language}_${code}`, isDoubtful: false };
    }
  }
  const alone = ALONE.exec(name);
  if (alone !== null) {
    const [, stem = '', code = ''] = alone;
    const locale = code.toLowerCase();
    // A blank before it, or capitals, are part of a name more often than not: `Size IT`, `Made in`.
    const isPlain = code === locale && !/\s[a-z]{2}$/.test(name);
    if (LANGUAGES.has(locale)) return { stem: stem.toLowerCase(), locale, isDoubtful: !isPlain && !/[([]/.test(name) };
    if (DOUBTFUL.has(locale)) return { stem: stem.toLowerCase(), locale, isDoubtful: true };
  }
  const [, stem = '', word = ''] = NAMED.exec(name) ?? [];
  const locale = NAMES.get(word.toLowerCase());
  return locale === undefined ? null : { stem: stem.toLowerCase(), locale, isDoubtful: false };
}

function selectedLocale(name: string, [selector, code = '', country]: RegExpExecArray): NamedLocale | null {
  const language = THREE_LETTERS.get(code.toLowerCase()) ?? code.toLowerCase();
  if (language.length > 2) return null;
  const locale = country === undefined ? language : `${language}_${country.toUpperCase()}`;
  return { stem: name.replace(selector, '').toLowerCase(), locale, isDoubtful: false };
}
