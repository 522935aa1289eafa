import { useEffect, useState } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'fernhill-theme'
const THEMES: readonly Theme[] = ['system', 'light', 'dark']

/** The theme: light, dark or the system's. Stored in this browser. */
export function useTheme(): { theme: Theme; next: () => void } {
  const [theme, setTheme] = useState<Theme>(
    () => THEMES.find((each) => each === localStorage.getItem(KEY)) ?? 'system',
  )
  useEffect(() => {
    document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme
    localStorage.setItem(KEY, theme)
  }, [theme])
  return { theme, next: () => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system') }
}
