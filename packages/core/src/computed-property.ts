import { PerRun } from './per-run.ts'

const computed = new PerRun<Record<string, () => unknown>>()

const descriptors: Record<string, PropertyDescriptor> = {}

/**
 * Adds a property that is computed at each access. All objects share the getter: V8 stores a getter in the hidden
 * class of its object, so each object with a getter of its own, as of `{ get key() {} }` in a function, has a hidden
 * class of its own. That one is old and keeps all that the getter refers to until a full garbage collection.
 */
export function withComputed<T extends object, KEY extends string, VALUE>(
  target: T,
  key: KEY,
  compute: () => VALUE,
): T & { readonly [K in KEY]: VALUE } {
  const own = computed.get(target) ?? computed.set(target, {})
  own[key] = compute
  descriptors[key] ??= {
    get(this: object) {
      return computed.get(this)?.[key]?.()
    },
    enumerable: true,
    configurable: true,
  }
  return Object.defineProperty(target, key, descriptors[key]) as T & { readonly [K in KEY]: VALUE }
}
