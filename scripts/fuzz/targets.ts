import type { FuzzTarget } from './target.ts'

type TargetName = 'ui-messages' | 'provider-parts' | 'snapshots' | 'json-values' | 'scanner'

/** Loaded by name, and not before: V8 counts the blocks only of what is compiled after it was asked to. */
const targets: Readonly<Record<TargetName, () => Promise<FuzzTarget>>> = {
  'ui-messages': async () => (await import('./targets/ui-messages.ts')).uiMessages,
  'provider-parts': async () => (await import('./targets/provider-parts.ts')).providerParts,
  snapshots: async () => (await import('./targets/snapshots.ts')).snapshots,
  'json-values': async () => (await import('./targets/json-values.ts')).jsonValues,
  scanner: async () => (await import('./targets/scanner.ts')).scanner,
}

export const targetNames: readonly TargetName[] = Object.keys(targets) as TargetName[]

export function isTargetName(name: string | undefined): name is TargetName {
  return name !== undefined && Object.hasOwn(targets, name)
}

export function loadTarget(name: TargetName): Promise<FuzzTarget> {
  return targets[name]()
}
