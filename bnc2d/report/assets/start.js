// The page starts: with a model that answers everything, or with answers that were written down beforehand.

try {
  const data = JSON.parse(byId("model").textContent);
  if (data.answers) showRecorded(data);
  else showModel(readModel(data));
} catch (error) {
  byId("failure").textContent = `The page cannot show this model: ${error}`;
  byId("failure").hidden = false;
}
