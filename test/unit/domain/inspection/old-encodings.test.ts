/** Files in the encodings of DOS and of older Macs: one may be asked for, but is never certain and wrong. */
import assert from 'node:assert/strict';
import iconv from 'iconv-lite';
import { inspect } from './inspect-fixture.js';

/** A table in which this word is in every third row, or in all. */
function table(word: string, isAlone: boolean): string {
  const others = ['shirt red', 'Nom du produit', 'Farbe rot', 'le client et la table'];
  const rows = Array.from({ length: 40 }, (_, n) => {
    const name = isAlone || n % 3 === 0 ? word : others[n % others.length];
    return `A${n};${name};${n},50\n`;
  });
  return `sku;name;price\n${rows.join('')}`;
}

/** What is wrong about the encoding of a file with this word; null: it is certain and right, or asked for. */
async function wrongIn(encoding: string, word: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const isAlone of [true, false]) {
    const text = table(word, isAlone);
    const bytes = iconv.encode(text, encoding);
    const { value, verdict } = (await inspect(bytes)).format.encoding;
    const isRight = value !== null && iconv.decode(bytes, value) === text;
    if (verdict === 'certain' && !isRight)
      wrong.push(`${word} in ${encoding}, ${isAlone ? 'alone' : 'among others'}: ${value}`);
  }
  return wrong;
}

type Shop = readonly [header: string, names: readonly string[]];
const GERMAN: Shop = ['Artikelnummer;Name;Preis', ['Tisch aus Holz', 'Hemd rot', 'Jacke mit Kapuze', 'Lampe']];
const FRENCH: Shop = ['SKU;Nom;Prix', ['Table en bois', 'Chemise noire', 'Sac en cuir', 'Puzzle pour les enfants']];
const SPANISH: Shop = ['SKU;Nombre;Precio', ['Mesa de madera', 'Camisa sin mangas', 'Bolso de cuero', 'Silla']];
const PORTUGUESE: Shop = ['SKU;Nome;Valor', ['Mesa de madeira', 'Camisa', 'Bolsa com bolso', 'Cadeira para casa']];
const ITALIAN: Shop = ['SKU;Nome;Prezzo', ['Tavolo di legno', 'Camicia con tasca', 'Borsa per la casa', 'Sedia']];
const DANISH: Shop = ['Varenummer;Navn;Pris', ['Skjorte til den lille', 'Bord af eg', 'Jakke med lomme', 'Lampe']];
const ENGLISH: Shop = ['SKU;Name;Price', ['Wooden table', 'Shirt with pockets', 'Leather bag', 'Lamp for the desk']];
const LITHUANIAN: Shop = ['SKU;Vardas;Kaina', ['Model', 'Canon', 'Nike Air', 'Item 5']];
const HUNGARIAN: Shop = ['SKU;Nev;Ar', ['Model', 'Canon', 'Nike Air', 'Item 5']];
const RUSSIAN: Shop = ['SKU;Name;Price', ['Nike Air', 'Model', 'Sony TV', 'Box']];

/** A sign or a letter that is all that a file of such a shop has beyond ASCII. */
const WESTERN_FILES = [
  ...['40 × 60 cm', 'Typ Ü', 'Ü 30', 'Ö', '10 µ', '10 µm', 'Ø 12 mm', '20 °C', '± 5', '½ l', 'mehr…', '…mit Tasche'],
  ...['… a', 'Anna‘ Tisch', 'Hans‘ Buch', 'Bravo‘ Tisch', 'Bella“', 'Mehr…', '5 à 10 kg'],
].map((word) => [...GERMAN, word] as const);
WESTERN_FILES.push(
  ...['40 × 60 cm', 'À poser', 'À partir de 5 ans', 'à la carte', 'sac à main', 'noir\u00a0mat', 'très…', 'à pois'].map(
    (word) => [...FRENCH, word] as const,
  ),
  ...['40 × 60 cm', '1º', '1 º'].map((word) => [...SPANISH, word] as const),
  ...['40 × 60 cm', 'È bello', 'è nuovo'].map((word) => [...ITALIAN, word] as const),
  ...['40 × 60 cm', '1º'].map((word) => [...PORTUGUESE, word] as const),
  ...['40 × 60 cm', 'æ 5', 'Ø 12'].map((word) => [...DANISH, word] as const),
  ...['40 × 60 cm', '10 µm', '5 ¥', '12 Å', 'Youth’ shoes', 'Feel‘ n Go', '5 o‘ clock', 'Bella“', 'Wait…', '5 ‰'].map(
    (word) => [...ENGLISH, word] as const,
  ),
);

/** 40 rows, each of these words in a row of its own. */
function shopFile(header: string, names: readonly string[], words: readonly string[]): string {
  const step = Math.floor(40 / words.length);
  const rows = Array.from({ length: 40 }, (_, n) => {
    const word = n % step === 0 ? words[n / step] : undefined;
    return `A-${1000 + n};${word ?? names[(n >> 1) % names.length]};${n},50\n`;
  });
  return `${header}\n${rows.join('')}`;
}

describe('files in older encodings', () => {
  it('are never taken for those of a Mac with certainty where they are in that of DOS', async () => {
    const words = [
      ...['Modèle', 'Crème', 'Pièce', 'Manière', 'Arrière', 'crème', 'Noël', 'Lève', 'três', 'pièce', 'modèle'],
      ...['garçon', 'forêt', 'fenêtre', 'você', 'ÉTÉ', 'Rød/Grøn', 'Käse', 'Noël/Joël', 'Grön', 'kött', 'Ångström'],
      ...['été', 'perché', 'São Paulo', 'Zubehör', 'Räder', 'Blå', 'Año'],
    ];
    const wrong: string[] = [];
    for (const word of words) wrong.push(...(await wrongIn('ibm850', word)));
    assert.deepEqual(wrong, []);
  });

  it('have the encoding of DOS before that of a Mac where both read words', async () => {
    for (const word of ['Modèle', 'Pièce', 'Käse', 'forêt', 'Grön']) {
      const { value, rivals } = (await inspect(iconv.encode(table(word, true), 'ibm850'))).format.encoding;
      const all = [value, ...rivals];
      assert.ok(all.includes('ibm850'), `${word}: ${all}`);
      const mac = all.indexOf('macintosh');
      assert.ok(mac < 0 || all.indexOf('ibm850') < mac, `${word}: ${all}`);
    }
  });

  it('are asked for where one word at whose end a sign of windows-1252 could stand is all that they have', async () => {
    const wrong: string[] = [];
    for (const word of ['città', 'Ça va', 'perché', 'più', 'qualità', 'à la carte'])
      wrong.push(...(await wrongIn('ibm850', word)), ...(await wrongIn('macintosh', word)));
    for (const word of ['Noël', 'Citroën', 'Ça va']) wrong.push(...(await wrongIn('macintosh', word)));
    for (const word of ['cà phê', 'Áo', 'màu', 'bánh', 'cá']) wrong.push(...(await wrongIn('windows-1258', word)));
    assert.deepEqual(wrong, []);
  });

  it('are never those of pairs of bytes that no pair has: such a file could not be read', async () => {
    for (const isAlone of [true, false]) {
      const { value } = (await inspect(iconv.encode(table('€…', isAlone), 'win1252'))).format.encoding;
      assert.equal(value, 'windows-1252');
    }
  });

  it('are not asked for where signs of windows-1252 stand as signs do', async () => {
    const texts = ['Rock’n’Roll', 'l’eau', '“Best” of', 'Size – M', '5 € – 10 €', 'Brand™', 'don’t', '½ l'];
    for (const text of texts) {
      const { value, verdict, rivals } = (await inspect(iconv.encode(table(text, false), 'win1252'))).format.encoding;
      assert.deepEqual([value, verdict], ['windows-1252', 'certain'], `${text}: ${rivals}`);
    }
  });

  it('are not certain of another script where they have one short word of Cyrillic', async () => {
    const wrong: string[] = [];
    for (const word of ['кг', 'шт', 'руб', 'да']) wrong.push(...(await wrongIn('koi8-r', word)));
    assert.deepEqual(wrong, []);
  });

  it('are asked for where they are those of a Mac, and what windows-1252 is remains so', async () => {
    const wrong: string[] = [];
    for (const word of ['Käse', 'Räder', 'Zubehör', 'Grön', 'Måndag'])
      wrong.push(...(await wrongIn('macintosh', word)));
    for (const word of ['Noël', 'Käse', 'cœur']) wrong.push(...(await wrongIn('windows-1252', word)));
    assert.deepEqual(wrong, []);
    for (const word of ['Käse', 'modèle', 'GRÖßE', 'garçon', 'Año', 'Rød/Grøn']) {
      const { value, verdict, rivals } = (await inspect(iconv.encode(table(word, false), 'win1252'))).format.encoding;
      assert.deepEqual([value, verdict], ['windows-1252', 'certain'], `${word}: ${rivals}`);
    }
  });

  it('are asked for where a quotation mark that nothing opened may be a letter of a Mac', async () => {
    const wrong: string[] = [];
    for (const word of ['Zoë', 'così', 'lunedì', 'aquí']) wrong.push(...(await wrongIn('macintosh', word)));
    assert.deepEqual(wrong, []);
    for (const word of ['‚Zitat‘', '‘quoted’', '„Zitat“', '“quoted”', 'Zoë', 'Hans’ Auto', 'dogs’']) {
      const { value, verdict, rivals } = (await inspect(iconv.encode(table(word, false), 'win1252'))).format.encoding;
      assert.deepEqual([value, verdict], ['windows-1252', 'certain'], `${word}: ${rivals}`);
    }
  });

  it('are not asked for where a sign stands at a word of a file in a language without the letters that it may be', async () => {
    const files = [
      ...['Wait…', 'etc…', 'Loading…'].map((word) => [word, 'black leather belt']),
      ...['für…', 'Mehr…', 'weiter…'].map((word) => [word, 'Hose schwarz']),
      ...['très…', 'noir\u00a0mat', 'cuir\u00a0noir', 'M.\u00a0Dupont'].map((word) => [
        word,
        'Sac et chaussures du soir',
      ]),
    ];
    for (const [word = '', other = ''] of files) {
      const text = `sku;name;price\n${[word, other, 'X', 'Y'].map((name, n) => `A${n};${name};${n},50\n`).join('')}`;
      const { value, verdict, rivals } = (await inspect(iconv.encode(text, 'win1252'))).format.encoding;
      assert.deepEqual([value, verdict], ['windows-1252', 'certain'], `${word}: ${rivals}`);
    }
  });

  it('are not those of other scripts where a letter, or a sign of a unit, stands by itself', async () => {
    for (const word of ['à la carte', 'sac à main', '10 µm', '5 µg', 'Ø 12 mm', '12 Å', '1º', '5 ¥']) {
      for (const isAlone of [true, false]) {
        const { value, verdict, rivals } = (await inspect(iconv.encode(table(word, isAlone), 'win1252'))).format
          .encoding;
        assert.deepEqual([value, verdict], ['windows-1252', 'certain'], `${word}: ${rivals}`);
      }
    }
    const wrong: string[] = [];
    for (const word of ['è bello', 'È bello', '10 µ']) wrong.push(...(await wrongIn('windows-1252', word)));
    wrong.push(...(await wrongIn('macintosh', 'Size\u00a0M')));
    assert.deepEqual(wrong, []);
  });

  it('are asked for where a letter and a sign of windows-1252 are one character of UTF-8 by chance', async () => {
    for (const word of ['weiß…', 'MENÜ“', 'HEIß–']) {
      const { value, verdict } = (await inspect(iconv.encode(table(word, false), 'win1252'))).format.encoding;
      assert.deepEqual([value, verdict], ['windows-1252', 'ambiguous'], word);
    }
    for (const word of ['weiß…', 'Größe', 'Привет', 'Ωmega', 'שלום', 'أحمر', 'Հայ', 'Größe שלום', 'cm²']) {
      const { value, verdict } = (await inspect(table(word, true))).format.encoding;
      assert.deepEqual([value, verdict], ['utf-8', 'certain'], word);
    }
  });

  it('are certain where shops of Western Europe have one sign or letter by itself, or a quotation mark at a word', async () => {
    const asked: string[] = [];
    for (const [header, names, word] of WESTERN_FILES) {
      for (const times of [1, 3, 12]) {
        const text = shopFile(header, names, Array<string>(times).fill(word));
        const { value, verdict, rivals } = (await inspect(iconv.encode(text, 'win1252'))).format.encoding;
        if (value !== 'windows-1252' || verdict !== 'certain')
          asked.push(`${word} ${times}: ${verdict} ${value} ${rivals}`);
      }
    }
    assert.deepEqual(asked, []);
  });

  it('are not certain and wrong where two words of them differ in what they say', async () => {
    const files = [
      ['windows-1252', PORTUGUESE, ['40 × 60 cm', '40 × 60 cm', '40 × 60 cm', 'É nova']],
      ['windows-1252', PORTUGUESE, ['40 × 60 cm', '40 × 60 cm', '40 × 60 cm', 'Ó']],
      ['windows-1252', FRENCH, ['40 × 60 cm', '40 × 60 cm', '40 × 60 cm', 'Ç']],
      ['windows-1252', SPANISH, ['2 ª mano', '5 €']],
      ['windows-1252', ITALIAN, ['è nuovo', 'é']],
      ['windows-1257', LITHUANIAN, ['stalas ąžuolo', 'į']],
      ['windows-1250', HUNGARIAN, ['ő']],
      ['ibm866', RUSSIAN, ['в']],
    ] as const;
    const wrong: string[] = [];
    for (const [encoding, [header, names], words] of files) {
      const text = shopFile(header, names, words);
      const bytes = iconv.encode(text, encoding);
      const { value, verdict } = (await inspect(bytes)).format.encoding;
      if (verdict === 'certain' && (value === null || iconv.decode(bytes, value) !== text))
        wrong.push(`${words.join(', ')} in ${encoding}: ${value}`);
    }
    assert.deepEqual(wrong, []);
  });

  it('are none where a text in UTF-8 has one letter of another script at a word', async () => {
    const rows = Array.from({ length: 40 }, (_, n) => `A${n};Shirt;${n},50\n`).join('');
    for (const word of ['T-Shirt XLל', 'T-Shirt ב XL', 'XLא', 'XLش', 'Kg/كg', 'L،M', 'XLօ']) {
      const { value, verdict } = (await inspect(`sku;name;price\nB;${word};1,50\n${rows}`)).format.encoding;
      assert.deepEqual([value, verdict], ['utf-8', 'certain'], word);
    }
    for (const word of ['שולחן', 'طاولة']) {
      const long = `sku;name;price\nB;XL${word[0]};1\n${rows.repeat(700)}C;${word};2\n`;
      const { value, verdict } = (await inspect(long)).format.encoding;
      assert.deepEqual([value, verdict], ['utf-8', 'certain'], word);
    }
  });
});
