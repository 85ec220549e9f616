/** Writes the files of the guide's page "Your first import": a bicycle shop with 5,000 items in 40 columns. */
import { csvLine } from './csv.mjs';
import { createRandom } from './random.mjs';

const ROWS = 5000;
const BRANDS = [
  'Alpenrad',
  'Bergström',
  'Cadence',
  'Deichgraf',
  'Épine',
  'Fjord',
  'Gazelle Verde',
  'Hinterhof',
  'Öresund',
];
const COLOURS = ['Black', 'Blue', 'Green', 'Grey', 'Orange', 'Red', 'Silver', 'White', 'Yellow'];
const SIZES = ['XS', 'S', 'M', 'L', 'XL', 'XXL'];
const WHEELS = [20, 24, 26, 27.5, 28, 29];
const BRAKES = ['Coaster', 'Disc', 'Hydraulic Disc', 'Rim'];
const MATERIALS = ['Aluminium', 'Carbon', 'Leather', 'Merino', 'Polyester', 'Rubber', 'Steel', 'Titanium'];
const RIDERS = ['Adults', 'Children', 'Everyone'];
const SEASONS = ['All Year', 'Summer', 'Winter'];
const COUNTRIES = ['CN', 'DE', 'FR', 'IT', 'NL', 'PT', 'SE', 'TW'];
const SERIES = ['Basic', 'Comfort', 'Elite', 'Pro', 'Sport', 'Touring', 'Urban', 'Édition 50'];

/** The attributes, as rows of a file of the type ATTRIBUTE_IMPORT. */
const attributes = [
  { name: 'Article Number', type: 'SHORT TEXT', mandatory: true, unique: true, maxLength: 40, mapping: 'sku' },
  { name: 'Title', type: 'SHORT TEXT', mandatory: true, maxLength: 120, mapping: 'title' },
  { name: 'Subtitle', type: 'SHORT TEXT', maxLength: 200 },
  { name: 'Description', type: 'LONG TEXT' },
  { name: 'Details', type: 'HTML' },
  { name: 'Image', type: 'SHORT TEXT', mapping: 'image' },
  { name: 'Active', type: 'BOOLEAN', mapping: 'active' },
  { name: 'Brand', type: 'LOV', values: BRANDS },
  { name: 'Manufacturer Part', type: 'SHORT TEXT', maxLength: 40 },
  { name: 'GTIN', type: 'SHORT TEXT', unique: true, pattern: '^[0-9]{13}$' },
  { name: 'Price', type: 'NUMBER', decimal: true, min: 0.01, max: 99999.99 },
  { name: 'List Price', type: 'NUMBER', decimal: true, min: 0.01 },
  { name: 'Cost', type: 'NUMBER', decimal: true, min: 0 },
  { name: 'Stock', type: 'NUMBER', decimal: false, min: 0 },
  { name: 'Reorder Level', type: 'NUMBER', decimal: false, min: 0 },
  { name: 'Release Date', type: 'DATE', format: 'dd.MM.yyyy' },
  { name: 'Price Valid Until', type: 'DATE' },
  { name: 'Warranty', type: 'LOV', decimal: false, values: [12, 24, 36, 60] },
  { name: 'Colour', type: 'LOV', values: COLOURS },
  { name: 'Size', type: 'LOV', values: SIZES },
  { name: 'Frame Size', type: 'NUMBER', decimal: false, min: 20, max: 80 },
  { name: 'Wheel Size', type: 'LOV', decimal: true, values: WHEELS },
  { name: 'Weight', type: 'NUMBER', decimal: true, min: 0 },
  { name: 'Load Limit', type: 'NUMBER', decimal: false, min: 1 },
  { name: 'Gears', type: 'NUMBER', decimal: false, min: 1, max: 40 },
  { name: 'Battery', type: 'NUMBER', decimal: false, min: 1 },
  { name: 'Motor Power', type: 'NUMBER', decimal: false, min: 1, max: 1000 },
  { name: 'Range', type: 'NUMBER', decimal: false, min: 1 },
  { name: 'Top Speed', type: 'NUMBER', decimal: true, min: 1 },
  { name: 'Brake', type: 'LOV', values: BRAKES },
  { name: 'Material', type: 'LOV', values: MATERIALS },
  { name: 'Waterproof', type: 'BOOLEAN' },
  { name: 'Foldable', type: 'BOOLEAN' },
  { name: 'Rider', type: 'LOV', values: RIDERS },
  { name: 'Country of Origin', type: 'SHORT TEXT', pattern: '^[A-Z]{2}$' },
  { name: 'Product Page', type: 'URL' },
  { name: 'Care Instructions', type: 'LONG TEXT' },
  { name: 'Season', type: 'LOV', values: SEASONS },
];

/** What every category has; `!`: an item without a value is a draft. */
const EVERYWHERE = [
  ...['Article Number!', 'Title!', 'Subtitle', 'Description', 'Details', 'Image', 'Active', 'Brand!'],
  ...['Manufacturer Part', 'GTIN', 'Price!', 'List Price', 'Cost', 'Stock', 'Reorder Level', 'Release Date'],
  ...['Price Valid Until', 'Warranty', 'Colour', 'Weight', 'Rider', 'Country of Origin', 'Product Page', 'Season'],
];
const RIDE = ['Frame Size!', 'Wheel Size', 'Load Limit', 'Gears', 'Brake', 'Foldable'];
const WEAR = ['Size!', 'Material', 'Waterproof', 'Care Instructions'];

/** A top category, its own attributes, and its leaves: the prefix of article numbers, a noun, the prices in cents. */
const tops = [
  {
    name: 'Bicycles',
    own: RIDE,
    leaves: [
      ['City Bikes', 'CIT', 'City Bike', 39900, 149900],
      ['Mountain Bikes', 'MTB', 'Mountain Bike', 59900, 499900],
      ['Road Bikes', 'ROA', 'Road Bike', 69900, 699900],
      ['Electric Bikes', 'ELE', 'Electric Bike', 149900, 799900, ['Battery!', 'Motor Power', 'Range', 'Top Speed']],
    ],
  },
  {
    name: 'Parts',
    own: ['Material', 'Wheel Size'],
    leaves: [
      ['Tyres', 'TYR', 'Tyre', 990, 8990],
      ['Brakes', 'BRA', 'Brake Set', 1990, 29900, ['Brake!']],
      ['Saddles', 'SAD', 'Saddle', 1990, 19900],
      ['Chains', 'CHA', 'Chain', 990, 9900],
    ],
  },
  {
    name: 'Clothing',
    own: WEAR,
    leaves: [
      ['Helmets', 'HEL', 'Helmet', 2990, 29900],
      ['Jackets', 'JAC', 'Jacket', 4990, 39900],
      ['Gloves', 'GLO', 'Gloves', 1490, 8990],
      ['Shoes', 'SHO', 'Shoes', 4990, 34900],
    ],
  },
  {
    name: 'Accessories',
    own: ['Material', 'Waterproof'],
    leaves: [
      ['Lights', 'LIG', 'Light Set', 1490, 24900],
      ['Locks', 'LOC', 'Lock', 1990, 19900],
      ['Bags', 'BAG', 'Pannier Bag', 2990, 24900, ['Load Limit']],
      ['Tools', 'TOO', 'Multi-Tool', 990, 12900],
    ],
  },
];

const leaves = tops.flatMap(({ name: top, own, leaves: below }) =>
  below.map(([name, prefix, noun, minCents, maxCents, more = []]) => ({
    ...{ path: `${top}->${name}`, prefix, noun, minCents, maxCents, more },
    assigned: new Set([...EVERYWHERE, ...own, ...more].map((attribute) => attribute.replace('!', ''))),
  })),
);

const HEADER = ['Category Node', 'Parent SKU', ...attributes.map(({ name }) => name)];

/** Name of the file → its text. `corrections.csv` says what `correct.mjs` writes into the error file. */
export function inventFirstImport() {
  const random = createRandom(20_260_102);
  const rows = Array.from({ length: ROWS }, (_, index) => inventRow(random, index + 1));
  makeVariants(rows);
  const corrections = plantErrors(rows);
  return {
    'attributes.csv': attributeFile(),
    'categories.csv': categoryFile(),
    'items.csv': fileOf(
      HEADER,
      rows.map((row) => HEADER.map((name) => row[name] ?? '')),
    ),
    'corrections.csv': fileOf(['Article Number', 'Column', 'Value'], corrections),
  };
}

function attributeFile() {
  const valueCount = Math.max(...attributes.map(({ values = [] }) => values.length));
  const valueColumns = Array.from({ length: valueCount }, (_, index) => `Value ${index + 1}`);
  const header = [
    ...['Attribute Title', 'Type of Attribute', 'Decimal', 'Min', 'Max', 'Date Format', 'Mandatory', 'Unique'],
    ...['Max Length', 'Pattern', 'Mapping', ...valueColumns],
  ];
  const boolean = (value) => (value === undefined ? '' : value ? 'TRUE' : 'FALSE');
  const cells = ({ name, type, decimal, min, max, format, mandatory, unique, maxLength, pattern, mapping, values }) => [
    ...[name, type, boolean(decimal), min ?? '', max ?? '', format ?? '', boolean(mandatory), boolean(unique)],
    ...[maxLength ?? '', pattern ?? '', mapping ?? ''],
    ...valueColumns.map((_, index) => values?.[index] ?? ''),
  ];
  return fileOf(header, attributes.map(cells));
}

function categoryFile() {
  const rows = tops.flatMap(({ name: top, own, leaves: below }, order) => [
    [top, order + 1, [...EVERYWHERE, ...own].join(';')],
    ...below.map(([name, , , , , more = []], at) => [`${top}->${name}`, at + 1, more.join(';')]),
  ]);
  return fileOf(['Category Path', 'Order', 'Item Attributes'], rows);
}

function fileOf(header, rows) {
  return `${[header, ...rows].map((cells) => csvLine(cells.map(String))).join('\n')}\n`;
}

// The items

function inventRow(random, number) {
  const leaf = random.pick(leaves);
  const brand = random.pick(BRANDS);
  const digits = String(number).padStart(5, '0');
  const cents = random.int(leaf.minCents, leaf.maxCents);
  const part = `${leaf.prefix}${random.int(10, 99)}-${digits}`;
  const row = {
    'Category Node': leaf.path,
    'Article Number': `${leaf.prefix}-${digits}`,
    Title: `${brand} ${leaf.noun} ${random.pick(SERIES)} ${part.slice(3)}`,
    Brand: brand,
    'Manufacturer Part': part,
    GTIN: gtin(number),
    Price: (cents / 100).toFixed(2),
    Cost: (Math.round(cents * 0.55) / 100).toFixed(2),
    Stock: random.int(0, 400),
    'Release Date': `${pad(random.int(1, 28))}.${pad(random.int(1, 12))}.${random.int(2016, 2026)}`,
    'Country of Origin': random.pick(COUNTRIES),
  };
  const sometimes = {
    Subtitle: () => `${random.pick(SERIES)} series, ${random.int(2, 9)} years of spare parts`,
    Description: () => `Made for every day.\n"${random.pick(['Light', 'Quiet', 'Solid'])}", say those who ride it.`,
    Details: () => `<ul><li>${leaf.noun}</li><li>${random.pick(RIDERS)}</li></ul>`,
    Image: () => `https://images.example.com/${part.toLowerCase()}.jpg`,
    Active: () => (random.happens(0.95) ? 'yes' : 'no'),
    'List Price': () => (Math.round(cents * 1.15) / 100).toFixed(2),
    'Reorder Level': () => random.int(1, 30),
    'Price Valid Until': () => `2027-${pad(random.int(1, 12))}-${pad(random.int(1, 28))}`,
    Warranty: () => random.pick([12, 24, 36, 60]),
    Colour: () => random.pick(COLOURS),
    Weight: () => (random.int(10, 2500) / 100).toFixed(2),
    'Load Limit': () => random.int(10, 180),
    Gears: () => random.int(1, 27),
    'Motor Power': () => random.pick([250, 350, 500]),
    Range: () => random.int(30, 160),
    'Top Speed': () => random.pick(['25', '32.5', '45']),
    'Wheel Size': () => random.pick(WHEELS),
    Material: () => random.pick(MATERIALS),
    Waterproof: () => (random.happens(0.5) ? 'yes' : 'no'),
    Foldable: () => (random.happens(0.1) ? 'yes' : 'no'),
    Rider: () => random.pick(RIDERS),
    'Product Page': () => `https://shop.example.com/p/${part.toLowerCase()}`,
    'Care Instructions': () => `Wash at ${random.pick([30, 40])} °C; do not bleach.`,
    Season: () => random.pick(SEASONS),
  };
  const always = {
    Brake: () => random.pick(BRAKES),
    Size: () => random.pick(SIZES),
    'Frame Size': () => random.int(38, 64),
    Battery: () => random.pick([400, 500, 625, 750]),
  };
  for (const [name, draw] of Object.entries(sometimes)) {
    if (leaf.assigned.has(name) && random.happens(0.6)) row[name] = draw();
  }
  for (const [name, draw] of Object.entries(always)) {
    if (leaf.assigned.has(name)) row[name] = draw();
  }
  return row;
}

/** Every fortieth jacket, glove or shoe is a variant of the one of its category before it. */
function makeVariants(rows) {
  const last = new Map();
  for (const [index, row] of rows.entries()) {
    const category = row['Category Node'];
    if (!/Jackets|Gloves|Shoes/.test(category)) continue;
    const parent = last.get(category);
    if (parent !== undefined && index % 10 === 0) row['Parent SKU'] = parent;
    else last.set(category, row['Article Number']);
  }
}

/** The everyday errors. @returns the corrections: article number, column and the right value */
function plantErrors(rows) {
  const corrections = [];
  const spoilt = new Set();
  const parents = new Set(rows.map((row) => row['Parent SKU']));
  const spoil = (column, wrong, places) => {
    for (const place of places) {
      // A parent that fails would take its variants with it.
      const row = rows
        .slice(place)
        .find((one) => one[column] !== undefined && !spoilt.has(one) && !parents.has(one['Article Number']));
      spoilt.add(row);
      corrections.push([row['Article Number'], column, row[column]]);
      row[column] = wrong(String(row[column]));
      if (row[column] === corrections.at(-1)[2]) throw new Error(`row ${place}: ${column} is still right`);
    }
  };
  spoil('Price', (price) => price.replace('.', ','), [120, 121, 122, 1480, 3011]);
  spoil('Stock', (stock) => `${stock} pcs`, [260, 2610]);
  spoil('Release Date', () => '31.02.2026', [405, 3777]);
  spoil('Colour', () => 'Blu', [510, 1717, 2900]);
  spoil('Category Node', (path) => path.replace('s->', '->'), [640, 4100]);
  spoil('Active', () => 'maybe', [830, 3300]);
  spoil('GTIN', (code) => code.slice(0, 11), [990]);
  spoil('GTIN', () => rows[4].GTIN, [2222]);
  spoil('Title', () => '', [1333, 4444]);
  spoil('Product Page', (address) => address.replace('https://', ''), [2050]);
  return corrections;
}

function gtin(number) {
  const digits = `400638${String(number).padStart(6, '0')}`;
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

function pad(number) {
  return String(number).padStart(2, '0');
}
