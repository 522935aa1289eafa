import { MillraceError } from './errors.ts'
import { otherFramework } from './foreign-names.ts'
import { nearestName } from './nearest-name.ts'

/**
 * The names of a type's options. The compiler compares them with the type: a missing or surplus name is an error. The
 * value of a name is `required` or `optional`, as in the type, or a table of names for an object of options and for
 * the objects of a list; `'*'` stands for the names of a record. An object that has nothing but optional properties
 * needs a table, or is `open` to any name.
 */
export type OptionNames<OPTIONS> = {
  readonly [NAME in NameOf<OPTIONS>]-?: IsRequired<OPTIONS, NAME> extends true
    ? RequiredOption<ValueOf<OPTIONS, NAME>>
    : OptionalOption<ValueOf<OPTIONS, NAME>>
}

/**
 * Validates the names of options, given to a constructor or a call. Each name is known, each required option is there,
 * and so in the objects of options among the values. Own symbols are left to their owners. Returns the options; those
 * that are inherited, such as the getters of a class, become own ones, and those that are `undefined` are left out.
 *
 * @param subject what takes the options, such as `PIIDetector` or `agent.generate()`
 * @throws MillraceError `CONFIG_INVALID`, with the nearest name, or ours if the name is another framework's
 *
 * @example
 * const { limit = 4_000 } = requireOptions('MaxLength', options, NAMES)
 */
export function requireOptions<OPTIONS extends object>(
  subject: string,
  options: OPTIONS | undefined,
  names: OptionNames<OPTIONS>,
): OPTIONS {
  return read({ subject, path: '' }, options === undefined ? {} : options, names) as OPTIONS
}

/** The options of a type among those of a larger one, for a constructor that passes some of its own on. */
export function pickOptions<OPTIONS extends object>(options: OPTIONS, names: OptionNames<OPTIONS>): OPTIONS {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(names, name))) as OPTIONS
}

/**
 * Refuses a name that is like one of the options' long names, or another framework's for one of them, of an object
 * that may have more properties than we know. A property that is `false` or `undefined` asks for nothing.
 *
 * @throws MillraceError `CONFIG_INVALID`
 */
export function refuseMisspelled<OPTIONS extends object>(
  subject: string,
  given: object,
  names: OptionNames<OPTIONS>,
): void {
  for (const name in given) {
    if (Object.hasOwn(names, name)) continue
    const value = (given as Record<string, unknown>)[name]
    if (value !== undefined && value !== false && isLike(name, names)) {
      throw unknownName({ subject, path: '' }, name, names)
    }
  }
}

type NameOf<OPTIONS> = OPTIONS extends unknown
  ? string extends keyof OPTIONS
    ? '*'
    : keyof OPTIONS & string
  : never

type ValueOf<OPTIONS, NAME> = OPTIONS extends unknown
  ? string extends keyof OPTIONS
    ? OPTIONS[keyof OPTIONS]
    : NAME extends keyof OPTIONS
      ? OPTIONS[NAME]
      : never
  : never

/** Whether each type of a union requires the option. */
type IsRequired<OPTIONS, NAME> = [
  OPTIONS extends unknown
    ? string extends keyof OPTIONS
      ? false
      : NAME extends keyof OPTIONS
        ? Record<never, never> extends Pick<OPTIONS, NAME>
          ? false
          : true
        : false
    : never,
] extends [true]
  ? true
  : false

type RequiredOption<VALUE> =
  | (NeedsTable<VALUE> extends true ? readonly ['required', 'open'] : 'required')
  | (Table<VALUE> extends never ? never : readonly ['required', Table<VALUE>])

type OptionalOption<VALUE> = (NeedsTable<VALUE> extends true ? 'open' : 'optional') | Table<VALUE>

type Table<VALUE> = [ObjectsOf<VALUE>] extends [never] ? never : OptionNames<ObjectsOf<VALUE>>

/** The objects among the values of a type, and those of its lists. */
type ObjectsOf<VALUE> = VALUE extends readonly (infer ITEM)[]
  ? ITEM extends object
    ? ITEM
    : never
  : VALUE extends (...values: never[]) => unknown
    ? never
    : VALUE extends object
      ? VALUE
      : never

/** Whether one of the objects has nothing but optional properties. */
type NeedsTable<VALUE> = true extends IsWeak<ObjectsOf<VALUE>> ? true : false

type IsWeak<OBJECT> = OBJECT extends unknown
  ? [keyof OBJECT] extends [never]
    ? false
    : string extends keyof OBJECT
      ? false
      : Record<never, never> extends OBJECT
        ? true
        : false
  : never

/** A table of names, whatever the type. */
interface Names {
  readonly [name: string]: Entry
}

type Entry = 'required' | 'optional' | 'open' | Names | readonly ['required', 'open' | Names]

interface Place {
  readonly subject: string
  /** Where in the options: empty, or `modelSettings.`. */
  readonly path: string
}

function read(place: Place, given: unknown, names: Names): object {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw notOptions(place, given, names)
  }
  const options = isPlain(given) ? given : ownOptions(place, given, names)
  let result = options
  for (const name in options) {
    const value = options[name]
    const inner = tableOf(place, name, names)
    const isInner = inner !== undefined && typeof value === 'object' && value !== null
    const left = isInner ? readInner({ ...place, path: `${place.path}${name}.` }, value, inner) : value
    if (left === value && value !== undefined) continue
    if (result === options) result = { ...options }
    if (left === undefined) delete result[name]
    else result[name] = left
  }
  for (const name in names) {
    if (isRequired(names[name]) && options[name] === undefined) throw missing(place, name, names)
  }
  return result
}

/** The objects of a list are read one by one. */
function readInner(place: Place, value: object, names: Names): object {
  if (!Array.isArray(value)) return read(place, value, names)
  const items = value.map((item: unknown, index) =>
    typeof item === 'object' && item !== null
      ? read({ ...place, path: `${place.path.slice(0, -1)}[${index}].` }, item, names)
      : item,
  )
  return items.some((item, index) => item !== value[index]) ? items : value
}

/** The table of an option whose value is an object of options. */
function tableOf(place: Place, name: string, names: Names): Names | undefined {
  const entry = Object.hasOwn(names, name) ? names[name] : names['*']
  if (entry === undefined) throw unknownName(place, name, names)
  const inner = Array.isArray(entry) ? entry[1] : entry
  return typeof inner === 'string' ? undefined : inner
}

function isRequired(entry: Entry | undefined): boolean {
  return entry === 'required' || Array.isArray(entry)
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/**
 * The options of an object that inherits some, as those of a class with getters. Its own methods may have any name but
 * one that is like an option's.
 */
function ownOptions(place: Place, given: object, names: Names): Record<string, unknown> {
  const options: Record<string, unknown> = {}
  const known = Object.keys(names)
  let level: object | null = given
  while (level !== null && Object.getPrototypeOf(level) !== null) {
    for (const [name, { enumerable }] of Object.entries(Object.getOwnPropertyDescriptors(level))) {
      if (name === 'constructor' || Object.hasOwn(options, name)) continue
      const isOption = Object.hasOwn(names, name) || '*' in names
      if (!isOption && (enumerable || nearestName(name, known) !== undefined)) {
        throw unknownName(place, name, names)
      }
      if (!isOption) continue
      const value: unknown = Reflect.get(given, name)
      // A method of the object stays one: our copy is not what it calls `this`.
      options[name] = typeof value === 'function' && level !== given ? value.bind(given) : value
    }
    level = Object.getPrototypeOf(level)
  }
  if (Object.keys(options).length === 0) throw notOptions(place, given, names)
  return options
}

function isLike(name: string, names: Names): boolean {
  const ours = otherFramework(name, (path) => isKnown(path, names))
  if (typeof ours === 'object') return true
  const long = Object.keys(names).filter(({ length }) => length > 4)
  return name.length >= 4 && nearestName(name, long) !== undefined
}

function unknownName({ subject, path }: Place, name: string, names: Names): MillraceError {
  return new MillraceError(
    'CONFIG_INVALID',
    `${subject} has no option '${path}${name.slice(0, 64)}'. ${remedyFor(name, path, names)}`,
  )
}

function remedyFor(name: string, path: string, names: Names): string {
  const foreign = otherFramework(name, (ours) => isKnown(ours, names))
  if (typeof foreign === 'string') return foreign
  if (foreign) return `In Millrace it is ${foreign.map((ours) => `'${path}${ours}'`).join(' and ')}.`
  const outer = Object.keys(names).find((other) => isKnown(`${other}.${name}`, names))
  const nearest = nearestName(name, Object.keys(names)) ?? (outer && `${outer}.${name}`)
  return nearest ? `Did you mean '${path}${nearest}'?` : `The options are ${listed(names)}.`
}

/** Whether the name, or the path of names, is an option. */
function isKnown(path: string, names: Names): boolean {
  const [name = '', ...rest] = path.split('.')
  if (!Object.hasOwn(names, name)) return false
  if (rest.length === 0) return true
  const entry = names[name]
  const inner = Array.isArray(entry) ? entry[1] : entry
  return typeof inner === 'object' && isKnown(rest.join('.'), inner)
}

function missing({ subject, path }: Place, name: string, names: Names): MillraceError {
  const required = Object.keys(names).filter((other) => isRequired(names[other]))
  return new MillraceError(
    'CONFIG_INVALID',
    `${subject} needs a value for '${path}${name}', which is undefined. Required: ${required.map((other) => path + other).join(', ')}.`,
  )
}

function notOptions({ subject, path }: Place, given: unknown, names: Names): MillraceError {
  const what = path === '' ? 'The argument' : `'${path.slice(0, -1)}'`
  return new MillraceError(
    'CONFIG_INVALID',
    `${what} of ${subject} must be an object, not ${kindOf(given)}. Its options are ${listed(names)}.`,
  )
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value !== 'object') return `a ${typeof value}`
  const { name } = value.constructor ?? {}
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an instance of a class'
}

function listed(names: Names): string {
  return Object.keys(names).join(', ')
}
