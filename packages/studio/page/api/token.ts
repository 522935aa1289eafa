const KEY = 'millrace-studio-token'

/** Takes the token from the fragment of the link that was opened, and removes it from the address. */
export function takeToken(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return
  localStorage.setItem(KEY, token)
  history.replaceState(history.state, '', `${location.pathname}${location.search}`)
}

export function readToken(): string {
  return localStorage.getItem(KEY) ?? ''
}
