/** What calls hooks. Agents without processors never load it. */
type HookKit = typeof import('./hook-kit.ts')

let kit: HookKit | undefined

/** Resolves when {@link hookKit} may be called. */
export async function loadHookKit(): Promise<void> {
  kit ??= await import('./hook-kit.ts')
}

/** For code that has imported the kit itself. */
export function useHookKit(imported: HookKit): void {
  kit = imported
}

/** Only for runs whose pipeline has processors: it is loaded before they begin. */
export function hookKit(): HookKit {
  return kit as HookKit
}
