import type { FuzzTarget } from './target.ts'

type TargetName = 'ui-messages' | 'provider-parts' | 'snapshots' | 'json-values' | 'scanner'

/** Imported lazily: V8 measures only code that is compiled after coverage was started. */
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
