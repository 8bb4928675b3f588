/** The answer of a list: all that there is, unless it is said how many there are and which page this is. */
export const pageOf = <Item>(message: string, data: Item[], total_items = data.length, current_page = 1) => ({
  success: true as const,
  message,
  data,
  pagination: { current_page, last_page: 1, per_page: 20, total_items },
});
