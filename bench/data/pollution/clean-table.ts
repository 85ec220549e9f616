/** The table that every polluted file is made of: what an outfitter sold, as a spreadsheet has it. */
import { Random } from '../inspection/random.js';

export const HEADER = ['DATE', 'TIME', 'QTY', 'PRODUCTID', 'PRICE', 'PRODUCT TYPE', 'DESCRIPTION', 'URL', 'COMMENTS'];
export const ROWS = 84;

const TYPES = [
  ...["Men's Hiking Boots", 'Running Jacket', 'Switch Fly Rod', 'Throw Pillow, Paddles', 'Wool Socks', 'Down Vest'],
  ...[
    'Cycling Jersey, Short-Sleeve',
    'Dining Table, Round 48"',
    'Tropic Cap',
    'Kids\' Mountain Bike, 24"',
    'Leather Sofa',
  ],
  ...[
    'Base Layer, Pants',
    'Field Watch',
    'Camp Stove Bundle',
    "Girls' 3-in-1 Jacket",
    'Snowshoes Set',
    'Boxer, 5" Inseam',
  ],
];
const DESCRIPTIONS = [
  'Rugged enough for peak performance, yet light enough to keep feet from feeling weighed down.',
  'Made of soft cotton that resists wrinkles, stains, shrinking and pilling.',
  "Easy to wash and quick to dry: it won't let you down.",
  'Ideal for larger rivers and situations where there is no space for a backcast.',
  'Packed with ultralight 650-fill for warmth, even when wet.',
  'Remarkably light feel in our 8\'9" length rod, impeccably designed.',
  'This sun-blocking hat provides UPF 50+ protection, the highest possible.',
  'Our best-value chair has four reclining positions and backpack straps.',
  'Industry-leading insulation, and innovative construction; 50% lighter than others.',
];
const COMMENTS = ['', '', '', 'returned', '', 'gift wrap', ''];

/** @param count of rows @param columns of `HEADER`, from the left; further ones are numbered */
export function cleanRows(count = ROWS, columns = HEADER.length): string[][] {
  const random = new Random(4_711);
  const two = (value: number) => String(value).padStart(2, '0');
  return Array.from({ length: count }, (_, number) => {
    const id = `${random.pick(['MG', 'RI', 'CC', 'YY', 'BH'])}-${1000 + ((number * 7919) % 9000)}`;
    const cells = [
      `${two(1 + random.below(28))}/${two(1 + random.below(12))}/2018`,
      `${two(random.below(24))}:${random.pick(['00', '15', '30', '45'])}`,
      String(random.below(34)),
      id,
      `$${random.below(99)}.${two(random.below(100))}`,
      random.pick(TYPES),
      random.pick(DESCRIPTIONS),
      `https://www.example.com/product/${id.replace('-', '_')}.html`,
      random.pick(COMMENTS),
    ];
    for (let column = cells.length; column < columns; column += 1) cells.push(String(random.below(1000)));
    return cells.slice(0, columns);
  });
}

/** The names of so many columns. */
export function cleanHeader(columns = HEADER.length): string[] {
  return Array.from({ length: columns }, (_, column) => HEADER[column] ?? `MEASURE ${column + 1}`);
}
