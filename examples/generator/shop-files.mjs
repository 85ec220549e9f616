/**
 * Writes the export of a bicycle shop as shops of several countries write it: 40 columns, with their words, signs, dates
 * and encodings, and with the mistakes that such files have.
 */
import { encoderOf } from './code-pages.mjs';
import { createRandom } from './random.mjs';
import { SHOPS } from './shop-words.mjs';

const BRANDS = ['Alpenrad', 'Cadence', 'Deichgraf', 'Fjord', 'Hinterhof', 'Rapido', 'Tandem Works', 'Velo Nord'];
const SIZES = ['XS', 'S', 'M', 'L', 'XL', 'XXL'];
const COUNTRIES = ['CN', 'DE', 'FR', 'IT', 'NL', 'PL', 'PT', 'TW'];
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2024, 0, 1);
/** One of so many rows has a mistake, from this one on. */
const ROWS_FOR_A_MISTAKE = 150;
const FIRST_MISTAKE = 40;

/** How a value of each column is invented: a text, or what `written` writes in the form of a country. */
const INVENTED = {
  sku: (_, number) => `${'ABCDEFGH'[number % 8]}-${String(10_000 + number)}`,
  title: ({ pick, shop }, number) => `${pick(BRANDS)} ${pick(shop.goods)} ${number % 97}`,
  short: ({ pick, shop }) => `${pick(shop.goods)}, ${pick(shop.materials)}`,
  html: ({ pick, shop }) => `<p>${pick(shop.goods)}</p><ul><li>${pick(shop.materials)}</li></ul>`,
  category: ({ pick, shop }) => pick(shop.paths),
  brand: ({ pick }) => pick(BRANDS),
  mpn: ({ whole }, number) => `M${whole(100, 999)}/${number}`,
  ean: (_, number) => ean(number),
  price: ({ whole }) => ({ money: whole(900, 999_999) / 100 }),
  listPrice: ({ whole }) => ({ money: whole(900, 999_999) / 100 }),
  cost: ({ whole }) => ({ money: whole(500, 500_000) / 100 }),
  stock: ({ whole }) => String(whole(0, 400)),
  minStock: ({ whole }) => String(whole(0, 20)),
  delivery: ({ whole }) => String(whole(1, 30)),
  active: ({ whole }) => ({ flag: whole(0, 9) > 0 }),
  isNew: ({ whole }) => ({ flag: whole(0, 9) > 6 }),
  sale: ({ whole }) => ({ flag: whole(0, 9) > 7 }),
  released: ({ whole }) => ({ day: whole(0, 1_000) }),
  created: ({ whole }) => ({ day: whole(0, 1_000) }),
  validUntil: ({ whole }) => ({ day: whole(900, 1_500) }),
  weight: ({ whole }) => ({ measure: whole(2, 350) / 10, unit: 'weight' }),
  length: ({ whole }) => ({ measure: whole(100, 1_900) / 10, unit: 'length' }),
  width: ({ whole }) => ({ measure: whole(50, 800) / 10, unit: 'length' }),
  height: ({ whole }) => ({ measure: whole(50, 1_200) / 10, unit: 'length' }),
  colour: ({ pick, shop }) => pick(shop.colours),
  size: ({ pick }) => pick(SIZES),
  material: ({ pick, shop }) => pick(shop.materials),
  keywords: ({ pick, shop }) => [pick(shop.goods), pick(shop.colours), pick(shop.materials)].join('|'),
  equipment: ({ pick, shop }) => [pick(shop.extras), pick(shop.extras)].join('|'),
  image: (_, number) => `https://img.example.com/p/${10_000 + number}.jpg`,
  link: (_, number) => `https://shop.example.com/item/${10_000 + number}`,
  modelYear: ({ whole }) => String(whole(2022, 2027)),
  warranty: ({ pick }) => String(pick([12, 24, 36, 60])),
  country: ({ pick }) => pick(COUNTRIES),
  customs: ({ pick }) => pick(['8712 00 30', '8711 60 10', '6506 10 80', '0087 14 99']),
  audience: ({ pick, shop }) => pick(shop.audiences),
  season: ({ pick, shop }) => pick(shop.seasons),
  frame: ({ whole }) => ({ measure: whole(40, 64), unit: 'length' }),
  battery: ({ whole }) => ({ measure: whole(250, 900), unit: 'energy' }),
  note: ({ whole, pick, shop }) => (whole(0, 9) > 7 ? pick(shop.notes) : ''),
};

/** The columns in order. */
const COLUMNS = Object.keys(INVENTED);

/** Mistakes that people make: in which column, and what they write there. */
function mistakesOf({ wrong }) {
  return [
    ['price', wrong.price],
    ['listPrice', wrong.price],
    ['released', wrong.date],
    ['validUntil', wrong.date],
    ['active', wrong.flag],
    ['weight', wrong.measure],
    ['stock', wrong.count],
    ['image', wrong.url],
    ['sku', ''],
  ];
}

/** The first day of the dates, which are days after it. */
export const firstDay = FIRST_DAY;

/**
 * Writes the header and the rows of a file, one after the other, so that a million of them need no memory.
 * @param {keyof typeof SHOPS} country
 * @param write writes a value in the form of a country
 * @returns cells as texts, each row with what is wrong in it: the row as spreadsheets count, the name of the column, and the
 *   text of the cell
 */
function* shopLines(country, rows, write = written) {
  const shop = SHOPS[country];
  const random = createRandom(country.length * 7_919 + country.charCodeAt(0));
  const tools = { shop, whole: random.int, pick: random.pick };
  const kinds = mistakesOf(shop);
  yield { cells: COLUMNS.map((column) => shop.headers[column]) };
  for (let number = 1; number <= rows; number++) {
    const cells = COLUMNS.map((column) => write(INVENTED[column](tools, number), shop));
    const nth = (number - FIRST_MISTAKE) / ROWS_FOR_A_MISTAKE;
    if (nth < 0 || !Number.isInteger(nth)) {
      yield { cells };
      continue;
    }
    const [column, value] = kinds[nth % kinds.length];
    cells[COLUMNS.indexOf(column)] = value;
    yield { cells, mistake: { row: number + 1, column: shop.headers[column], value } };
  }
}

/** The same as a whole, with all mistakes. */
export function shopRows(country, rows = 5_000, write = written) {
  const all = [...shopLines(country, rows, write)];
  return { lines: all.map(({ cells }) => cells), mistakes: all.flatMap(({ mistake = [] }) => mistake) };
}

/** Days that are also other days when the month is read first. */
const DAYS_OF_OFFERS = [Date.UTC(2026, 3, 5), Date.UTC(2026, 1, 11), Date.UTC(2026, 3, 3)];

/**
 * The file of a shop, a piece of its bytes with each row.
 * @param offers with one more column, the first day of an offer: where the day and the month come first, as in 05.04.2026,
 *   nothing in the file says which of them does
 */
export function* shopPieces(country, rows = 5_000, { offers = false } = {}) {
  const { delimiter, encoding, offer, date } = SHOPS[country];
  const encode = encoderOf(encoding);
  const dayOf = (row) => date(new Date(DAYS_OF_OFFERS[(row - 1) % DAYS_OF_OFFERS.length]));
  let row = 0;
  for (const { cells, mistake } of shopLines(country, rows)) {
    if (offers) cells.push(row === 0 ? offer : dayOf(row));
    row++;
    yield { bytes: encode(`${cells.map((cell) => quoted(cell, delimiter)).join(delimiter)}\r\n`), cells, mistake };
  }
}

/**
 * The file of a shop as a whole.
 * @public evaluated by tests
 * @param options as shopPieces has them
 */
export function shopFile(country, rows = 5_000, options = {}) {
  const pieces = [...shopPieces(country, rows, options)];
  return {
    name: `${country}-shop.csv`,
    bytes: Buffer.concat(pieces.map(({ bytes }) => bytes)),
    lines: pieces.map(({ cells }) => cells),
    mistakes: pieces.flatMap(({ mistake = [] }) => mistake),
  };
}

function quoted(cell, delimiter) {
  return cell.includes(delimiter) || cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A value in the form of a country. */
function written(value, shop) {
  if (typeof value === 'string') return value;
  if ('money' in value) return shop.money(value.money);
  if ('flag' in value) return shop.words[value.flag ? 0 : 1];
  if ('day' in value) return shop.date(new Date(FIRST_DAY + value.day * DAY_MS));
  return shop.measure(value.measure, value.unit);
}

function ean(number) {
  const digits = `40${String(number).padStart(10, '0')}`;
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
