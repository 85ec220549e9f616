/** The primary tree of the sample shop, the attributes of each category, and the products of each leaf. */

/** A trailing `!` makes the attribute mandatory: items without a value are drafts. */
const EVERYWHERE =
  'Title! Image Active Description Details Brand! Manufacturer_Part GTIN Price! Weight Stock Warranty Release_Date ' +
  'Price_Valid_Until Colour Listing_Number';

/** A leaf: the prefix of its SKUs, a noun for titles, the range of prices in cents, and the attributes that vary. */
function leaf(name, prefix, noun, [minCents, maxCents], assign = '') {
  return { name, prefix, noun, minCents, maxCents, assign, children: [] };
}

function branch(name, assign, children) {
  return { name, assign, children };
}

function top(name, assign, children) {
  return branch(name, `${EVERYWHERE} ${assign}`, children);
}

const tree = [
  top('Storage', 'Capacity! Interface', [
    leaf('Solid State Drives', 'SSD', 'SSD', [2990, 64900]),
    leaf('Hard Drives', 'HDD', 'Hard Drive', [4990, 49900]),
    leaf('Memory Cards', 'MEM', 'Memory Card', [590, 18900]),
    leaf('USB Sticks', 'USB', 'USB Stick', [490, 9900]),
  ]),
  top('Computers', 'Capacity Power', [
    leaf('Laptops', 'LAP', 'Laptop', [39900, 349900], 'Screen_Size! Resolution'),
    leaf('Desktops', 'DES', 'Desktop PC', [29900, 299900]),
    branch('Components', '', [
      leaf('Graphics Cards', 'GPU', 'Graphics Card', [14900, 219900], 'Interface'),
      leaf('Memory', 'RAM', 'Memory Kit', [2490, 59900]),
      leaf('Power Supplies', 'PSU', 'Power Supply', [3990, 29900]),
    ]),
  ]),
  top('Displays', 'Screen_Size! Resolution Energy_Class! Power Interface', [
    leaf('Monitors', 'MON', 'Monitor', [9900, 189900]),
    leaf('Televisions', 'TVS', 'Television', [19900, 499900]),
    leaf('Projectors', 'PRJ', 'Projector', [17900, 389900]),
  ]),
  top('Network', 'Interface Length', [
    leaf('Routers', 'ROU', 'Router', [3900, 49900]),
    leaf('Switches', 'SWI', 'Switch', [1900, 89900]),
    leaf('Cables', 'CAB', 'Cable', [190, 7900], 'Length!'),
    leaf('USB-C -> HDMI Adapters', 'ADP', 'Adapter', [990, 5900]),
  ]),
  top('Power Tools', 'Power Voltage Cordless!', [
    leaf('Drills', 'DRI', 'Hammer Drill', [4900, 59900]),
    branch('Saws', '', [
      leaf('Circular Saws', 'CIR', 'Circular Saw', [6900, 69900]),
      leaf('Jigsaws', 'JIG', 'Jigsaw', [4900, 39900]),
    ]),
    leaf('Sanders', 'SAN', 'Orbital Sander', [3900, 34900]),
    leaf('Grinders', 'GRI', 'Angle Grinder', [4900, 44900]),
  ]),
  top('Hand Tools', 'Material Length', [
    leaf('Hammers', 'HAM', 'Hammer', [890, 8900], 'Material!'),
    leaf('Screwdrivers', 'SCD', 'Screwdriver', [390, 5900]),
    leaf('Pliers', 'PLI', 'Pliers', [790, 6900]),
    leaf('Wrenches', 'WRE', 'Wrench', [690, 24900]),
  ]),
  top('Fasteners', 'Material! Thread Length Pack_Size!', [
    branch('Screws', '', [
      leaf('Wood Screws', 'WSC', 'Wood Screws', [290, 4900]),
      leaf('Machine Screws', 'MSC', 'Machine Screws', [290, 5900], 'Thread!'),
    ]),
    leaf('Nails', 'NAI', 'Nails', [190, 2900]),
    leaf('Anchors', 'ANC', 'Wall Anchors', [290, 3900]),
  ]),
  top('Electrical', 'Power Voltage', [
    branch('Lighting', 'Energy_Class!', [
      leaf('LED Bulbs', 'LED', 'LED Bulb', [190, 2900]),
      leaf('Spotlights', 'SPO', 'Spotlight', [990, 14900]),
    ]),
    leaf('Sockets & Switches', 'SOC', 'Socket', [290, 4900]),
    leaf('Batteries', 'BAT', 'Battery', [290, 19900], 'Capacity'),
  ]),
  top('Garden', 'Power Voltage Cordless Length', [
    leaf('Lawn Mowers', 'MOW', 'Lawn Mower', [14900, 189900]),
    leaf('Hose & Irrigation', 'HOS', 'Garden Hose', [990, 14900], 'Length!'),
    leaf('Hedge Trimmers', 'HED', 'Hedge Trimmer', [5900, 49900]),
  ]),
];

/** The alternate tree: which items, by the prefixes of their SKUs, go into which part of the sale, and how many. */
export const sale = {
  name: 'Summer sale',
  children: [
    { name: 'Garden weeks', prefixes: ['MOW', 'HOS', 'HED'], count: 60 },
    { name: 'Cool at the desk', prefixes: ['SSD', 'MON', 'LAP'], count: 45 },
    { name: 'Last chance', prefixes: ['HAM', 'LED', 'CAB', 'DRI'], count: 80 },
  ],
};

/** The tree as the demo reads it: nested, with the names of the assigned attributes. */
export const primary = tree.map(plain);

/** Every leaf with its path and the attributes that its items may and must have. */
export const leaves = tree.flatMap((node) => leavesOf(node, [], []));

function plain({ name, assign, children }) {
  return { name, assign: assignments(assign), children: children.map(plain) };
}

function leavesOf(node, names, inherited) {
  const path = [...names, node.name];
  const assigned = [...inherited, ...assignments(node.assign)];
  if (node.children.length > 0) return node.children.flatMap((child) => leavesOf(child, path, assigned));
  const { prefix, noun, minCents, maxCents } = node;
  return [
    {
      prefix,
      noun,
      minCents,
      maxCents,
      topName: path[0],
      path: path.map((name) => name.replaceAll('->', '\\->')).join('->'),
      assigned: new Set(assigned.map(({ name }) => name)),
      mandatory: assigned.filter(({ mandatory }) => mandatory).map(({ name }) => name),
    },
  ];
}

function assignments(text) {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => ({ name: word.replace('!', '').replaceAll('_', ' '), mandatory: word.endsWith('!') }));
}
