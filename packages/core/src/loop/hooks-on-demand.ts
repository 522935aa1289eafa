/** The code that calls hooks. Agents without processors do not load it. */
type HookKit = typeof import('./hook-kit.ts')

let kit: HookKit | undefined

/** Loads the kit. Call before {@link hookKit}. */
export async function loadHookKit(): Promise<void> {
  kit ??= await import('./hook-kit.ts')
}

/** Sets the kit, for code that has imported it itself. */
export function useHookKit(imported: HookKit): void {
  kit = imported
}

/** The loaded kit. Call only for runs whose pipeline has processors: it is loaded before they start. */
export function hookKit(): HookKit {
  return kit as HookKit
}
