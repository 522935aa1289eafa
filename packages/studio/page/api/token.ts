const KEY = 'millrace-studio-token'

/** Stores the token from the fragment of the URL, and removes it from the address bar. Returns whether there was one. */
export function takeToken(): boolean {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return false
  localStorage.setItem(KEY, token)
  history.replaceState(history.state, '', `${location.pathname}${location.search}`)
  return true
}

export function readToken(): string {
  return localStorage.getItem(KEY) ?? ''
}
